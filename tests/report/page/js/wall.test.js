import assert from "node:assert/strict";
import test from "node:test";

import "./fake_document.js";
import { indexTree } from "../../../../src/budgetree/report/page/model.js";
import { stageNumbers, wallParts } from "../../../../src/budgetree/report/page/wall.js";
import { content, modelled } from "./content.js";
import "./speaking.js";

const indexed = (made) => indexTree(made, made.trees[0]);
const textOf = (made) => wallParts(indexed(made)).map((part) => part.textContent).join("\n");

test("stages are numbered so that what follows one comes behind it", () => {
  assert.deepEqual([...stageNumbers(indexed(content()))], [[0, 1], [1, 2], [3, 3]]);
});

test("every test, result and answer is on the wall, and where to go on", () => {
  const text = textOf(content());
  for (const word of ["1 colour", "red, green", "go to 2", "blue", "well", "2 size", "go to 3", "ill", "No case costs more than 5.1."]) {
    assert.ok(text.includes(word), word);
  }
});

test("a model says how often it gives each answer", () => {
  assert.match(textOf(modelled()), /by model: 75% well, 25% ill/);
  assert.match(textOf(modelled()), /cannot be added up by hand/);
  assert.doesNotMatch(textOf(content()), /by hand/);
});

test("points stand with their results, and totals with their answers", () => {
  const made = content();
  const [first] = made.trees[0].outline;
  Object.assign(first, { continues: true, chances: [[0, 0.1], [3, 0.75]] });
  first.points = [{ test: 0, names: [["red", "blue"], ["green"]], results: [[[0, 2], 3], [[1], 0]], else: 1 }];
  first.endings = [{ names: ["0-1"], below: 2, answer: 0, cases: [2, 0] }, { names: ["3"], below: 1, answer: null, cases: [1, 3] }];
  const text = textOf(made);
  assert.ok(text.includes("red or blue: 3 | green: 0 | unknown: 1"));
  assert.match(text, /0-1 ?well ?33.3% \(2, 0 ill\)/);
  assert.match(text, /3 ?go to 2 ?66.7% \(4\)/);
  assert.match(text, /then by the total of points so far/);
  assert.match(text, /chance of ill at a total of 0: 10%, 3: 75%/);
});
