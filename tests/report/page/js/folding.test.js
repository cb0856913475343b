import assert from "node:assert/strict";
import test from "node:test";

import { branchesBelow, openGroups } from "../../../../src/budgetree/report/page/folding.js";
import { indexTree } from "../../../../src/budgetree/report/page/model.js";
import { content } from "./content.js";

const index = indexTree(content(), content().trees[0]); // 0 -> 1, 2; 1 -> 3, 4; 3 -> 5, 6

test("whole groups are unfolded from the top as long as their rows fit", () => {
  const open = (rows) => [...openGroups(index, rows)];
  assert.deepEqual(open(100), [0, 1, 3]);
  assert.deepEqual(open(5), [0, 1]);
  assert.deepEqual(open(0), [0]); // the root always
});

test("branches below are counted at any depth", () => {
  assert.deepEqual(branchesBelow(index), [6, 4, 0, 2, 0, 0, 0]);
});
