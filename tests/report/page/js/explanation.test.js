import assert from "node:assert/strict";
import test from "node:test";

import { answerWords, explain, explanationParts, movedWords } from "../../../../src/budgetree/report/page/explanation.js";
import { indexTree } from "../../../../src/budgetree/report/page/model.js";
import { follow } from "../../../../src/budgetree/report/page/routing.js";
import { content, modelled } from "./content.js";
import "./fake_document.js";
import "./speaking.js";

const index = indexTree(content(), content().trees[0]);
const answers = [{ outcome: 1, said: "green" }, { outcome: 0, said: "s" }];

test("a tree of counts is explained by the nodes on the path, free branches included", () => {
  const { by, start, parts } = explain(index, follow(index, answers));
  assert.deepEqual([by, start], ["cases", 0.5]);
  assert.deepEqual(parts.map((part) => [part.before, part.after]), [[0.5, 0.5], [0.5, 1]]);
});

test("a model is explained by what each answer adds", () => {
  const models = indexTree(modelled(), modelled().trees[0]);
  const { by, start, parts } = explain(models, follow(models, [{ outcome: 2, said: "blue" }, { outcome: 1, said: "l" }]));
  const ill = (score) => 1 / (1 + Math.exp(-score));
  assert.equal(by, "model");
  const moves = [start, ...parts.map((part) => part.after)];
  [-0.1, 0.4, 2.4].forEach((score, at) => assert.ok(Math.abs(moves[at] - ill(score)) < 1e-15));
});

test("answers and moves in words", () => {
  const step = { at: 0, answer: answers[0], price: 2, assumed: null };
  assert.equal(answerWords(index, step), "green");
  assert.equal(answerWords(index, { ...step, answer: { outcome: 1, said: "540 nm" } }), "540 nm (green)");
  assert.equal(answerWords(index, { ...step, answer: { outcome: null, said: "none of these" } }), "none of these");
  const without = { outcome: null, said: "not available", unavailable: true };
  assert.equal(answerWords(index, { ...step, answer: without }), "not available");
  assert.equal(answerWords(index, { ...step, answer: without, assumed: "red" }), "not available, path of red followed");
  assert.equal(movedWords({ before: 0.2, after: 0.321 }), "+12.1 points");
  assert.equal(movedWords({ before: 0.5, after: 0.4 }), "\u221210.0 points");
  assert.equal(movedWords({ before: 0.5, after: 0.5004 }), "no change");
});

test("the list has the largest move first, and none where nothing was asked", () => {
  assert.deepEqual(explanationParts(index, follow(index, [])), []);
  const [heading, opening, list] = explanationParts(index, follow(index, answers));
  assert.equal(heading.textContent, "What moved the probability of ill");
  assert.equal(opening.textContent, "It has 50% at first.");
  assert.deepEqual(list.children.map((line) => line.textContent), ["size = s+50.0 points", "colour = greenno change"]);
});
