import assert from "node:assert/strict";
import test from "node:test";

import { niceTicks, pathThrough } from "../../../../src/budgetree/report/page/chart.js";
import "./speaking.js";

test("ticks are round, start at 0 and reach the top", () => {
  assert.deepEqual(niceTicks(4), [0, 1, 2, 3, 4]);
  assert.deepEqual(niceTicks(267), [0, 100, 200, 300]);
  for (const top of [0.003, 1, 7, 99, 768, 12345]) {
    const ticks = niceTicks(top);
    assert.equal(ticks[0], 0);
    assert.ok(ticks.at(-1) >= top * 0.999);
    assert.ok(ticks.length <= 6);
  }
});

test("a line goes through the corners as they are", () => {
  const path = pathThrough([[0, 3], [2, 3], [2, 1]], (budget) => 10 * budget, (count) => -count);
  assert.equal(path, "M0 -3L20 -3L20 -1");
});
