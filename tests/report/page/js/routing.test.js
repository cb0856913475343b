import assert from "node:assert/strict";
import test from "node:test";

import { indexTree } from "../../../../src/budgetree/report/page/model.js";
import { follow } from "../../../../src/budgetree/report/page/routing.js";
import { content } from "./content.js";
import "./speaking.js";

const index = indexTree(content(), content().trees[0]);
const answer = (outcome) => ({ outcome, said: String(outcome) });
const unavailable = () => ({ outcome: null, said: "not available", unavailable: true });

test("answers lead to a leaf, and a test met again is not asked again", () => {
  const start = { at: 0, steps: [], spent: 0, left: 5.1, due: [0], stopped: false, open: true, sure: false, label: 0, shares: null };
  assert.deepEqual(follow(index, []), start);
  const state = follow(index, [answer(1), answer(0)]);
  assert.deepEqual([state.at, state.spent, state.open, state.stopped], [6, 3.1, false, false]);
  assert.deepEqual(state.steps.map((step) => step.again), [false, false, true]);
});

test("an outcome never seen there stops, and the test is paid", () => {
  const state = follow(index, [answer(0), answer(null)]);
  assert.deepEqual([state.at, state.spent, state.stopped], [1, 5.1, true]);
});

test("a result that is not available is not paid, and the case goes on with most known cases", () => {
  const state = follow(index, [unavailable()]);
  assert.deepEqual([state.at, state.spent, state.open, state.due], [1, 0, true, [0]]);
  assert.equal(state.left, 3.1); // the fee is still to be paid
  assert.deepEqual([state.steps[0].price, state.steps[0].assumed], [0, "red or green"]);
  const end = follow(index, [unavailable(), answer(0)]);
  assert.deepEqual([end.at, end.spent, end.left], [6, 1.1, 0]);
  assert.deepEqual(end.steps.map((step) => step.assumed), ["green", null, "green"]);
  assert.deepEqual(follow(index, [unavailable(), unavailable()]).spent, 0);
});
