import assert from "node:assert/strict";
import test from "node:test";

import { newCasesFact, plainWords, proofWords } from "../../../../src/budgetree/report/page/facts.js";
import { content } from "./content.js";
import "./speaking.js";

const [tree] = content().trees;
const open = { ...tree, statement: { proven: false, sentences: ["Nothing was proven about this tree."] } };

test("what is proven is a sentence, and nothing is said where nothing is", () => {
  assert.equal(proofWords(content(), tree), `Proven: ${tree.statement.sentences[0]}`);
  assert.equal(proofWords(content(), open), "");
});

test("a certificate says what a cost is where nothing else was proven, and that nobody checked it", () => {
  const certified = (ratio) => ({ ...open, certificate: { lines: [], ratio, lower_bound: ratio ? 2 : 0 } });
  assert.match(proofWords(content(), certified(1)), /^Proven, by certificate: .* not checked here\.$/);
  assert.match(proofWords(content(), certified(1.5)), /^Within 1.5 times, by certificate: /);
  assert.equal(proofWords(content(), certified(null)), "");
});

test("the overview says in plain words what it costs and how often it is right", () => {
  const known = "For at most 5.1 per case, 83% of the known cases are answered correctly; sensitivity for ill 67%, specificity 100%; 3.1 on average.";
  assert.equal(plainWords(content(), tree), known);
  const judged = { ...tree, expected: { error: 0.26, se: 0.04, overfitted: false, how: "" } };
  assert.match(plainWords(content(), judged), /^For at most 5.1 per case, 74% of new cases are answered correctly; on the known cases /);
});

test("new cases have a fact where rows were held out", () => {
  assert.deepEqual(newCasesFact(tree), []);
  const judged = { ...tree, expected: { error: 0.47, se: 0.04, overfitted: true, how: "cross-validated" } };
  assert.deepEqual(newCasesFact(judged), [["New cases", "47.0%", "wrong, ± 4.0; overfitted"]]);
  const losing = { ...tree, expected: { error: 0.47, se: 0.04, loss: 0.71428, loss_se: 0.04123, overfitted: false, how: "" } };
  assert.deepEqual(newCasesFact(losing), [["New cases", "0.714", "lost a case, ± 0.041; 47.0% wrong"]]);
});
