// Answers typed into the report page, one JSON line each: {content, texts}; what came of each goes back as a line.
// A text is typed into the number field of the question and entered; null clicks "not available", a number a button.

import { createInterface } from "node:readline";
import { refusal } from "../../src/budgetree/report/page/answers.js";
import { indexTree, levelOf, testAt } from "../../src/budgetree/report/page/model.js";
import { follow } from "../../src/budgetree/report/page/routing.js";

/** @type {ReturnType<typeof indexTree>[]} */
let indexes = [];

/** As the page does it: a text that is refused is not answered, and the question stays. */
function consult({ tree, texts }) {
  const index = indexes[tree];
  const answers = [];
  const said = [];
  for (const text of texts) {
    const state = follow(index, answers);
    if (!state.open) break;
    const { encoding, outcomes } = testAt(index, state.at);
    if (text === null) {
      answers.push({ outcome: null, said: "not available", unavailable: true });
    } else if (typeof text === "number") {
      answers.push({ outcome: text < outcomes.length ? text : null, said: String(text) });
    } else if (encoding?.kind === "levels") {
      const refused = refusal(text);
      const level = refused ? null : levelOf(encoding.thresholds, Number(text));
      said.push({ text, refused, level, test: index.nodes[state.at].test });
      if (!refused) answers.push({ outcome: level, said: text });
    }
  }
  const { at, spent, label, open } = follow(index, answers);
  return { at, spent, label, open, said };
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  let answer;
  try {
    if (request.contents) indexes = request.contents.map((content) => indexTree(content, content.trees[0]));
    answer = request.contents ? { ready: indexes.length } : consult(request);
  } catch (error) {
    answer = { thrown: String(error.stack) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
