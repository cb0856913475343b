// What the page's address asks for: ?budget=300 a tree, ?lang=de a language.

/** @import { Address } from "./types.d.ts" */

/** @param {string} search with its question mark @returns {Address} */
export function readAddress(search) {
  const asked = new URLSearchParams(search);
  const text = asked.get("budget");
  return { language: asked.get("lang"), budget: text === null ? null : { text, number: budgetNumber(text) } };
}

/** @param {string} text */
function budgetNumber(text) {
  const number = /^\s*(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i.test(text) ? Number(text) : NaN;
  return Number.isFinite(number) ? number : null;
}
