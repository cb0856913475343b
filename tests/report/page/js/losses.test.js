import assert from "node:assert/strict";
import test from "node:test";

import { lossFact, proofWords } from "../../../../src/budgetree/report/page/facts.js";
import { bestAnswer, confusionParts, lossOf, lossParts, lossWords } from "../../../../src/budgetree/report/page/losses.js";
import { content } from "./content.js";
import "./fake_document.js";
import "./speaking.js";

const losses = { units: [[0, 2, 1], [10, 0, 1]], scale: 2, plain: false };
const losing = () => ({ ...content(), answers: ["well", "ill", "refer"], losses });
const tree = { ...content().trees[0], errors: 1, loss: 3.5, referred: 4, confusion: [[0, 0, 1], [0, 1, 1], [2, 1, 4]] };

test("the answer loses least, the first of equals", () => {
  assert.equal(bestAnswer(losing(), [1, 0]), 0);
  assert.equal(bestAnswer(losing(), [0.7, 0.3]), 2);
  assert.equal(bestAnswer(losing(), [0, 1]), 1);
  assert.equal(bestAnswer(losing(), [0.5, 0.5]), 1); // as refer, which comes later
});

test("where each error costs the same the likeliest class is the answer", () => {
  assert.equal(bestAnswer(content(), [0.4, 0.6]), 1);
  assert.equal(bestAnswer({ ...losing(), losses: { units: [[0, 1], [1, 0]], scale: 1, plain: true } }, [0.5, 0.5]), 0);
});

test("losses are in the user's units", () => {
  assert.equal(lossOf(losses, [3, 2], 0), 10);
  assert.equal(lossOf(losses, [3, 2], 2), 2.5);
});

test("loss is said where losses are given, and errors where not", () => {
  assert.equal(lossWords(losing(), tree), "loss 3.5 (1 error, 4 referred)");
  assert.equal(lossWords(content(), tree), "1 error");
  assert.deepEqual(lossFact(losing(), tree, 6), ["Loss", "3.5", "over 6 cases, with 1 error, 4 referred; a missed ill counts 5, a false alarm 1"]);
  assert.deepEqual(lossFact(content(), tree, 6), ["Errors", "1", "of 6 cases (16.7%)"]);
});

test("the table has a row for each answer and a column for each class", () => {
  const text = confusionParts(losing(), tree).map((part) => part.textContent).join("|");
  assert.match(text, /Answerwellillwell11ill00refer04$/);
  assert.deepEqual(confusionParts(losing(), { ...tree, confusion: null }), []);
});

test("of many classes the pairs that are confused most are listed", () => {
  const names = Array.from({ length: 40 }, (_, at) => `c${at}`);
  const confusion = names.map((_, at) => [(at + 1) % 40, at, at + 1]);
  const parts = confusionParts({ ...content(), classes: names, answers: names }, { ...tree, confusion });
  assert.match(parts[1].textContent, /^ClassOther answerCasesc39c040c38c3939/);
  assert.equal(parts[2].textContent, "and 10 more pairs with fewer cases");
});

test("what answers cost is listed with the prices", () => {
  assert.deepEqual(lossParts(content()), []);
  assert.match(lossParts(losing())[2].textContent, /Answerwellillwell05ill10refer0.50.5$/);
});

test("a certificate speaks of loss where losses are given", () => {
  const open = { ...tree, statement: { proven: false, facts: [] }, certificate: { lines: [], ratio: 2, lower_bound: 3 } };
  assert.match(proofWords(losing(), open), /any tree that loses as little costs at least 3; not checked here\.$/);
});
