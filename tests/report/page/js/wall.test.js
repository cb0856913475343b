import assert from "node:assert/strict";
import test from "node:test";

import { leftOut } from "../../../../src/budgetree/report/page/wall.js";
import { content, modelled } from "./content.js";
import "./speaking.js";

const [tree] = content().trees;
const index = { nodes: tree.nodes, groups: tree.outline };

test("what is left out of a page for the wall is said, and nothing where nothing is", () => {
  assert.deepEqual(leftOut(index, 7), []);
  assert.equal(leftOut(index, 5)[0], "Left out to fit one page: 2 of 7 branches.");
  assert.match(leftOut({ ...index, nodes: modelled().trees[0].nodes }, 7)[0], /^The leaves are models/);
});
