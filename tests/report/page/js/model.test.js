import assert from "node:assert/strict";
import test from "node:test";

import * as model from "../../../../src/budgetree/report/page/model.js";
import { content, modelled } from "./content.js";
import "./speaking.js";

const indexed = () => model.indexTree(content(), content().trees[0]);

test("what is shared is due once on a path, and later where the first could not be done", () => {
  const index = indexed();
  const [colour, size] = [model.buyAt(index, 0), model.buyAt(index, 2)];
  const missing = new Set([0]);
  assert.deepEqual([model.dueAt(colour, new Set()), model.dueAt(size, new Set()), model.dueAt(size, missing)], [[0], [], [0]]);
  assert.equal(model.chargeOf(index, colour, 0), 2.1);
  assert.equal(model.chargeOf(index, size, 1), 3);
  assert.equal(model.chargeOf(index, size, null), 3); // in no price list: as much as the costliest
  assert.equal(model.chargeOf(index, size, 1, missing), 3.1);
  assert.equal(model.priceWords(index, [0]), "costs 2.1 (with 0.1 for visit)");
  assert.equal(model.priceWords(index, [2]), "costs 1 to 3");
  assert.equal(model.priceWords(index, []), "already paid");
  assert.equal(model.priceWords(index, [0, 2]), "costs 3.1 to 5.1 (with 0.1 for visit)"); // a stage
  assert.equal(model.priceWords(index, [2], missing), "costs 1.1 to 3.1 (with 0.1 for visit)");
});

test("what remains at worst has what was put off in it", () => {
  const index = indexed();
  const known = (answer) => new Map([[0, { at: 0, answer, price: 0, assumed: null }]]);
  const red = known({ outcome: 0, said: "red" });
  assert.equal(model.mostAhead(index, 0, new Map(), new Set()), index.nodes[0].remaining);
  assert.equal(model.mostAhead(index, 2, red, new Set()), index.nodes[2].remaining);
  assert.equal(model.mostAhead(index, 3, red, new Set()), 0);
  assert.equal(model.mostAhead(index, 2, known({ outcome: null, said: "", unavailable: true }), new Set([0])), 3.1);
});

test("groups above are known", () => {
  assert.deepEqual(indexed().above, [-1, 0, 0, 1, 1, 3, 3]);
});

test("a stage is named by its tests, and by the points or the model that decide then", () => {
  const index = indexed();
  assert.deepEqual(index.groups.slice(0, 2).map((group) => model.stageWords(index, group)), [{ asked: "colour", by: "" }, { asked: "size", by: "" }]);
  const models = model.indexTree(modelled(), modelled().trees[0]);
  assert.deepEqual(model.stageWords(models, models.groups[0]), { asked: "colour", by: "the model of colour" });
  assert.deepEqual(model.stageWords(models, models.groups[2]), { asked: "size", by: "" });
  assert.deepEqual([model.ruleOf(models.nodes[4]), model.testWords(models, 1)], ["model", "colour, size"]);
});

test("a leaf with points says which totals get which answer", () => {
  const node = { kind: "leaf", counts: [3, 3], label: 0, totals: 0, cuts: [2, 4, 5], chances: [[0.9, 0.1], [0.6, 0.4], [0.4, 0.6], [0.1, 0.9]] };
  assert.deepEqual(model.answersOf(indexed(), node), [{ label: 0, when: "3 points or fewer" }, { label: 1, when: "4 points or more" }]);
});

test("the costliest path goes from its leaf to the root", () => {
  const worst = model.worstPath(indexed());
  assert.deepEqual([...worst.groups], [4, 1, 0]);
  assert.deepEqual([worst.cost, worst.ties], [5.1, 1]);
});

test("of equally costly leaves the one with the most cases is marked, counting all nodes of its group", () => {
  const facts = { kind: "leaf", spent: 2.1, remaining: 0 };
  const nodes = [
    { ...content().trees[0].nodes[0], counts: [2, 3], label: 1 },
    { ...facts, counts: [1, 0], label: 0 },
    { ...facts, counts: [0, 3], label: 1 },
    { ...facts, counts: [1, 0], label: 0 },
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
