import assert from "node:assert/strict";
import test from "node:test";

import { inWords } from "../../../../src/budgetree/report/page/consult.js";
import { indexTree } from "../../../../src/budgetree/report/page/model.js";
import { follow } from "../../../../src/budgetree/report/page/routing.js";
import { content } from "./content.js";
import "./speaking.js";

const index = indexTree(content(), content().trees[0]);
const said = (...outcomes) => inWords(index, follow(index, outcomes.map((outcome) => ({ outcome, said: "" }))));

test("the next test is announced with its price, the diagnosis with the sum", () => {
  assert.equal(said(), "Next test: colour, costs 2.1 (with 0.1 for visit). Spent so far 0.");
  assert.equal(said(0), "Next test: size, costs 1 to 3. Spent so far 2.1.");
  assert.equal(said(1, 0), "Diagnosis: ill. Spent 3.1.");
  assert.equal(said(2), "Diagnosis: well. Spent 2.1.");
});

test("what is done without a result is announced", () => {
  const words = (...answers) => inWords(index, follow(index, answers));
  const unavailable = { outcome: null, said: "not available", unavailable: true };
  const without = "No result of colour: it is not paid. All its results stay possible; the case goes on as with red or green. ";
  assert.equal(words(unavailable), `${without}Next test: size, costs 1.1 to 3.1 (with 0.1 for visit). Spent so far 0.`);
  assert.equal(words(unavailable, { outcome: 1, said: "l" }), "Diagnosis: well. Spent 3.1.");
});
