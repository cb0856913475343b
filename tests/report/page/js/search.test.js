import assert from "node:assert/strict";
import test from "node:test";

import { indexTree } from "../../../../src/budgetree/report/page/model.js";
import { groupsNamed, hitWords } from "../../../../src/budgetree/report/page/search.js";
import { content } from "./content.js";
import "./speaking.js";

const index = indexTree(content(), content().trees[0]);

test("tests and diagnoses are found from top to bottom, in any case", () => {
  assert.deepEqual(groupsNamed(index, " COL "), [0, 3]);
  assert.deepEqual(groupsNamed(index, "ll"), [5, 6, 4, 2]);
});

test("nothing is found for nothing", () => {
  assert.deepEqual(groupsNamed(index, "  "), []);
  assert.deepEqual(groupsNamed(index, "no such test"), []);
});

test("the hits say how to reach the next", () => {
  assert.equal(hitWords(0, -1), "No hits");
  assert.equal(hitWords(12, -1), "12 hits, Enter for the first");
  assert.equal(hitWords(12, 2), "3 of 12, Enter for the next");
  assert.equal(hitWords(1, 0), "the only hit");
});
