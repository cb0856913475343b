import assert from "node:assert/strict";
import test from "node:test";

import "./fake_document.js";
import { indexTree } from "../../../../src/budgetree/report/page/model.js";
import { rowLine } from "../../../../src/budgetree/report/page/tree.js";
import { content, modelled } from "./content.js";
import "./speaking.js";

const index = () => indexTree(content(), content().trees[0]);

test("a row says outcomes, test, costs and cases", () => {
  const [branch] = index().groups[0].branches;
  const line = rowLine(index(), 1, branch, false);
  assert.equal(line.textContent, "red, green size costs 1 to 3, spent 2.1  4 cases");
  assert.equal(line.ofClass("worst-tag").length, 0);
});

test("names are those of the outline, and are not joined again", () => {
  const joined = { outcomes: [0, 1], names: ["1 to 2", "2 to 5"], below: 1 };
  const [label] = rowLine(index(), 1, joined, false).ofClass("outcomes");
  assert.equal(label.textContent, "1 to 2, 2 to 5");
});

test("a leaf says what the branch cost where outcomes differ in price, and the costliest is marked", () => {
  const branch = index().groups[1].branches[1];
  assert.equal(rowLine(index(), 4, branch, true).textContent, "l well paid 3, spent 5.1  1 case worst case");
});

test("a stage says what decides then, and a model how often it gives each answer", () => {
  const models = indexTree(modelled(), modelled().trees[0]);
  const [sure, less] = models.groups[0].branches;
  assert.match(rowLine(models, 0, null, false).textContent, /^colour costs .* then by the model of colour/);
  assert.match(rowLine(models, 1, sure, false).textContent, /^90% sure by model: 100% well/);
  assert.match(rowLine(models, 2, less, false).textContent, /^less sure size costs 1 to 3, spent 2.1/);
  assert.match(rowLine(models, 3, models.groups[2].branches[0], false).textContent, /^by model: 75% well, 25% ill/);
});

test("the root has no outcomes", () => {
  assert.equal(rowLine(index(), 0, null, true).textContent, "colour costs 2.1 (with 0.1 for visit)  6 cases");
});
