import assert from "node:assert/strict";
import test from "node:test";

import { indexTree, mostAhead } from "../../../../src/budgetree/report/page/model.js";
import { follow, runningPoints, softmax } from "../../../../src/budgetree/report/page/routing.js";
import { content, modelled } from "./content.js";
import "./speaking.js";

const index = indexTree(content(), content().trees[0]);
const answer = (outcome) => ({ outcome, said: String(outcome) });
const unavailable = () => ({ outcome: null, said: "not available", unavailable: true });

test("answers lead to a leaf, and a test branched on twice is asked once", () => {
  const start = { at: 0, waiting: [0], steps: [], spent: 0, left: 5.1, missing: new Set(), unseen: null, open: true, sure: false, refused: false, label: 0, shares: null, possible: null, further: [] };
  assert.deepEqual(follow(index, []), start);
  const state = follow(index, [answer(1), answer(0)]);
  assert.deepEqual([state.at, state.spent, state.open, state.unseen], [10, 3.1, false, null]);
  assert.deepEqual(state.steps.map((step) => [step.at, step.price]), [[0, 2.1], [2, 1]]);
});

test("every resource is added up by its own charges", () => {
  const made = content();
  const [tree] = made.trees;
  made.further = [{ unit: "min", shared: made.shared.map(() => 7) }];
  tree.further = [{ max_cost: 90, mean_cost: 60, nodes: tree.nodes.map((node) => ({ spent: 0, remaining: 0, ...(node.charge && { charge: node.charge.map((_, result) => 10 + result) }) })) }];
  const state = follow(indexTree(made, tree), [answer(1), answer(0)]);
  assert.deepEqual([state.at, state.spent], [10, 3.1]);
  assert.deepEqual(state.further.map(({ at, spent, left, steps }) => [at, spent, left, steps.map(({ price }) => price)]), [[10, 21, 0, [11, 10]]]);
  const [without] = follow(indexTree(made, tree), [unavailable()]).further;
  assert.deepEqual([without.spent, without.left], [0, 19]); // 12 at most, and the visit, which is still to be paid
});

test("a case ends before a test whose condition is not met, and nothing of its stage is offered before it is", () => {
  const made = content();
  const [tree] = made.trees;
  made.tests[1].after = [[[0, [1]]]];
  const ruled = indexTree(made, tree);
  const met = follow(ruled, [answer(1)]);
  assert.deepEqual([met.at, met.open, met.refused], [2, true, false]);
  const state = follow(ruled, [unavailable(), answer(0)]);
  assert.deepEqual([state.at, state.open, state.refused, state.waiting, state.spent, state.left], [2, false, true, [], 0, 0]);
  assert.equal(follow(ruled, [{ ...unavailable(), charged: true }]).refused, true);
  made.tests[1].after = [[[0, null]]];
  assert.equal(follow(ruled, [{ ...unavailable(), charged: true }]).refused, false);
  assert.equal(follow(ruled, [unavailable()]).refused, true);
  const facts = { counts: [3, 3], label: 0, spent: 0, remaining: 0 };
  tree.nodes = [{ ...tree.nodes[0], child: 1 }, { ...tree.nodes[2], child: 2 }, { kind: "leaf", ...facts }];
  assert.deepEqual(follow(indexTree(made, tree), []).waiting, [0]);
});

test("what may still come ends before a test whose condition can no longer be met", () => {
  const made = content();
  const [tree] = made.trees;
  const known = new Map([[0, { at: 0, answer: unavailable(), price: 0, assumed: null }]]);
  const left = (missing) => mostAhead(indexTree(made, tree), 2, known, new Set(missing));
  assert.equal(left([0]), 3.1);
  made.tests[1].after = [[[0, null]]];
  assert.deepEqual([left([0]), left([])], [0, 3]);
});

test("the tests of a stage are answered in any order, and what is answered is paid", () => {
  const made = content();
  const [tree] = made.trees;
  const facts = { counts: [3, 3], label: 0, spent: 0, remaining: 0 };
  tree.totals = [{ tests: [0, 1], points: [[[2], [3], [5], [0]], [[1], [4], [0]]], intercept: [0] }];
  tree.nodes = [
    { ...tree.nodes[0], child: 1 },
    { ...tree.nodes[2], child: 2 },
    { kind: "leaf", ...facts, totals: 0, cuts: [6], chances: [[0.9, 0.1], [0.2, 0.8]] },
  ];
  const stage = indexTree(made, tree);
  const start = follow(stage, []);
  assert.deepEqual([start.waiting, runningPoints(stage, start)], [[0, 1], 0]);
  const second = follow(stage, [{ ...answer(1), test: 1 }]);
  assert.deepEqual([second.at, second.waiting, second.spent, second.left, runningPoints(stage, second)], [0, [0], 3, 2.1, 4]);
  const both = follow(stage, [{ ...answer(1), test: 1 }, { ...answer(1), test: 0 }]);
  const inOrder = follow(stage, [answer(1), answer(1)]);
  assert.deepEqual([both.at, both.label, both.spent, both.shares], [2, 1, 5.1, inOrder.shares]);
  assert.deepEqual(both.steps.map((step) => step.at), inOrder.steps.map((step) => step.at));
});

test("an outcome never seen there is paid, and its leaf answers", () => {
  const state = follow(index, [answer(0), answer(null)]);
  assert.deepEqual([state.at, state.spent, state.open, state.unseen?.at], [8, 5.1, false, 2]);
});

test("a result that is not available is not paid, and the case goes on with most known cases", () => {
  const state = follow(index, [unavailable()]);
  assert.deepEqual([state.at, state.spent, state.open], [2, 0, true]);
  assert.equal(state.left, 3.1); // the visit is still to be paid
  assert.deepEqual([state.steps[0].price, state.steps[0].assumed], [0, "red or green"]);
  const end = follow(index, [unavailable(), answer(0)]);
  assert.deepEqual([end.at, end.spent, end.left], [10, 1.1, 0]);
  assert.deepEqual(end.steps.map((step) => step.assumed), ["green", null]);
  assert.deepEqual(follow(index, [unavailable(), unavailable()]).spent, 0);
  // Colour may be anything, blue too: red and green with size s, and blue, whose case has no size.
  assert.deepEqual([end.possible, end.label, end.shares], [[2, 3], 1, [0.4, 0.6]]);
  assert.deepEqual(state.possible, [3, 3]);
});

test("a result that is not available may be charged all the same", () => {
  const state = follow(index, [{ ...unavailable(), charged: true }]);
  assert.deepEqual([state.spent, state.left, [...state.missing]], [2.1, 3, []]); // the visit is paid
});

test("a model that is sure stops, and one that is not says how likely each class is", () => {
  const models = indexTree(modelled(), modelled().trees[0]);
  const sure = follow(models, [answer(0)]);
  assert.deepEqual([sure.at, sure.open, sure.sure, sure.label, sure.spent], [2, false, true, 0, 2.1]);
  assert.ok(Math.abs(sure.shares[0] - 1 / (1 + Math.exp(-3))) < 1e-15);
  const unsure = follow(models, [answer(2)]);
  assert.deepEqual([unsure.at, unsure.open, unsure.sure, unsure.label, unsure.left], [3, true, false, 1, 3]);
  assert.ok(Math.abs(unsure.shares[1] - 1 / (1 + Math.exp(-0.5))) < 1e-15);
  const end = follow(models, [answer(null), answer(1)]);
  assert.deepEqual([end.at, end.sure, end.label, end.unseen], [4, false, 1, null]);
});

test("points have a side between two cuts", () => {
  const made = modelled();
  const [tree] = made.trees;
  tree.totals = [{ tests: [0], points: [[[2], [3], [5], [0]]], intercept: [1] }];
  tree.nodes[1] = { ...tree.nodes[1], confidence: undefined, cuts: [1, 4], children: [2, 3, 2] };
  tree.nodes[2] = { ...tree.nodes[2], cuts: [4, 6], chances: [[0.5, 0.5], [0.25, 0.75], [1, 0]] };
  const points = indexTree(made, tree);
  assert.equal(follow(points, [answer(0)]).at, 3); // 3 points
  assert.deepEqual(follow(points, [answer(1)]).shares, [0.25, 0.75]); // 4
  assert.deepEqual([follow(points, [answer(2)]).label, follow(points, [answer(1)]).label], [0, 1]); // 6 and 4
});

test("probabilities are those of the exponential", () => {
  for (const far of [0, 1, 123456, 2500000, 31000000, 699000000, 800000000]) {
    const [high, low] = softmax([far, 0]);
    const expected = 1 / (1 + Math.exp(-far * 1e-6));
    assert.ok(Math.abs(high - expected) <= 4e-16 * expected, String(far));
    assert.ok(Math.abs(high + low - 1) < 1e-15);
  }
});
