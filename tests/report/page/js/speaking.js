// Tests read English; one that needs another language says so, and returns to it.

import { readdirSync, readFileSync } from "node:fs";

import { speak } from "../../../../src/budgetree/report/page/words.js";

const folder = new URL("../../../../src/budgetree/report/page/languages/", import.meta.url);
const read = (file) => [file.replace(".json", ""), JSON.parse(readFileSync(new URL(file, folder), "utf8"))];

export const languages = Object.fromEntries(readdirSync(folder).map(read));

export function inLanguage(code, act) {
  speak(code, languages);
  try {
    return act();
  } finally {
    speak("en", languages);
  }
}

speak("en", languages);
