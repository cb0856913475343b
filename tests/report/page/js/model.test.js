import assert from "node:assert/strict";
import test from "node:test";

import * as model from "../../../../src/budgetree/report/page/model.js";
import { content } from "./content.js";
import "./speaking.js";

const indexed = () => model.indexTree(content(), content().trees[0]);

test("a fee is due once on a path, and a test met again costs nothing", () => {
  const index = indexed();
  assert.deepEqual(index.due[0], [0]);
  assert.deepEqual(index.due[1], []);
  assert.equal(model.priceOf(index, 0, 0), 2.1);
  assert.equal(model.priceOf(index, 1, 1), 3);
  assert.equal(model.priceOf(index, 1, null), 3); // in no price list: as much as the costliest
  assert.equal(model.priceOf(index, 3, 2), 0);
  assert.equal(model.priceWords(index, 0), "costs 2.1 (with 0.1 for visit)");
  assert.equal(model.priceWords(index, 1), "costs 1 to 3");
  assert.equal(model.priceWords(index, 3), "already paid");
  assert.equal(model.priceOf(index, 1, 1, [0]), 3.1); // a fee that a test above has not paid
  assert.equal(model.priceWords(index, 1, [0]), "costs 1.1 to 3.1 (with 0.1 for visit)");
});

test("what remains at worst counts the costliest outcome", () => {
  assert.deepEqual(indexed().remaining, [5.1, 3, 0, 0, 0, 0, 0]);
});

test("parents and groups above are known", () => {
  const index = indexed();
  assert.deepEqual(index.parent, [-1, 0, 0, 1, 1, 3, 3]);
  assert.deepEqual(index.above, [-1, 0, 0, 1, 1, 3, 3]);
});

test("the costliest path goes from its leaf to the root", () => {
  const worst = model.worstPath(indexed());
  assert.deepEqual([...worst.groups], [4, 1, 0]);
  assert.deepEqual([worst.cost, worst.ties], [5.1, 1]);
});

test("of equally costly leaves the one with the most cases is marked, counting all nodes of its group", () => {
  const nodes = [
    { counts: [2, 3], label: 1, spent: 0, test: 0, price: [2.1, 2.1], branches: [1, 2, 3] },
    { counts: [1, 0], label: 0, spent: 2.1 },
    { counts: [0, 3], label: 1, spent: 2.1 },
    { counts: [1, 0], label: 0, spent: 2.1 },
  ];
  const branches = [{ outcomes: [0, 2], names: ["red", "blue"], below: 1 }, { outcomes: [1], names: ["green"], below: 2 }];
  const outline = [{ nodes: [0], branches }, { nodes: [1, 3] }, { nodes: [2] }];
  const worst = model.worstPath(model.indexTree(content(), { ...content().trees[0], nodes, outline }));
  assert.deepEqual([[...worst.groups], worst.ties], [[2, 0], 2]);
  assert.deepEqual(model.countsIn(model.indexTree(content(), { ...content().trees[0], nodes, outline }), outline[1]), [2, 0]);
});

test("a number reaches as many thresholds as are not above it", () => {
  assert.equal(model.levelOf([1, 2, null], 0.5), 0);
  assert.equal(model.levelOf([1, 2, null], 2), 2);
  assert.equal(model.levelOf([1, 2, null], 1e9), 2);
});
