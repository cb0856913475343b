import assert from "node:assert/strict";
import test from "node:test";

import { indexTree } from "../../../../src/budgetree/report/page/model.js";
import { groupsNamed } from "../../../../src/budgetree/report/page/search.js";
import { content } from "./content.js";

const index = indexTree(content(), content().trees[0]);

test("tests and diagnoses are found from top to bottom, in any case", () => {
  assert.deepEqual(groupsNamed(index, " COL "), [0, 3]);
  assert.deepEqual(groupsNamed(index, "ll"), [5, 6, 4, 2]);
});

test("nothing is found for nothing", () => {
  assert.deepEqual(groupsNamed(index, "  "), []);
  assert.deepEqual(groupsNamed(index, "no such test"), []);
});
