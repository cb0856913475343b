import assert from "node:assert/strict";
import test from "node:test";

import { newCasesFact, proofFact } from "../../../../src/budgetree/report/page/facts.js";
import { content } from "./content.js";
import "./speaking.js";

const [tree] = content().trees;
const open = { ...tree, statement: { proven: false, sentences: ["Nothing was proven about this tree."] } };

test("the page says of proof what Python said", () => {
  assert.deepEqual(proofFact(content(), tree), { value: "Proven", note: tree.statement.sentences[0] });
  assert.deepEqual(proofFact(content(), open), { value: "Open", note: "Nothing was proven about this tree." });
});

test("a certificate says what a cost is where nothing else was proven, and that nobody checked it", () => {
  const certified = (ratio) => ({ ...open, certificate: { lines: [], ratio, lower_bound: ratio ? 2 : 0 } });
  assert.equal(proofFact(content(), certified(1)).value, "Proven, by certificate");
  assert.equal(proofFact(content(), certified(1.5)).value, "Within 1.5 times, by certificate");
  assert.match(proofFact(content(), certified(1)).note, /not checked here$/);
  assert.equal(proofFact(content(), certified(null)).value, "Open");
});

test("new cases have a fact where rows were held out", () => {
  assert.deepEqual(newCasesFact(tree), []);
  const judged = { ...tree, expected: { error: 0.47, se: 0.04, overfitted: true, how: "cross-validated" } };
  assert.deepEqual(newCasesFact(judged), [["New cases", "47.0%", "wrong, ± 4.0; overfitted"]]);
  const losing = { ...tree, expected: { error: 0.47, se: 0.04, loss: 0.71428, loss_se: 0.04123, overfitted: false, how: "" } };
  assert.deepEqual(newCasesFact(losing), [["New cases", "0.714", "lost a case, ± 0.041; 47.0% wrong"]]);
});
