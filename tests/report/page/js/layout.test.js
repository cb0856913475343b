import assert from "node:assert/strict";
import test from "node:test";

import { BOX, fitting, keptInside, planOf, zoomed } from "../../../../src/budgetree/report/page/layout.js";
import { indexTree } from "../../../../src/budgetree/report/page/model.js";
import { content } from "./content.js";

const index = indexTree(content(), content().trees[0]);
const overlap = (one, other) => Math.abs(one.x - other.x) < BOX.width && Math.abs(one.y - other.y) < BOX.height;

test("boxes lie within the plan and do not overlap, folded or not", () => {
  for (const open of [() => true, (group) => group !== 1, () => false]) {
    const { boxes, width, height } = planOf(index, open);
    const all = [...boxes.values()];
    all.forEach((box, at) => {
      assert.ok(box.x >= 0 && box.x + BOX.width <= width && box.y >= 0 && box.y + BOX.height <= height);
      assert.ok(!all.slice(at + 1).some((other) => overlap(box, other)));
    });
  }
});

test("what is folded away has no box", () => {
  assert.equal(planOf(index, () => true).boxes.size, index.groups.length);
  assert.deepEqual([...planOf(index, (group) => group === 0).boxes.keys()], [0, 1, 2]);
  assert.deepEqual([...planOf(index, () => false).boxes.keys()], [0]);
});

test("a window never leaves the plan, and shows at least all of it", () => {
  const [plan, frame] = [{ width: 1000, height: 4000 }, { width: 500, height: 500 }];
  assert.equal(fitting(plan, frame), 0.125);
  assert.deepEqual(keptInside({ x: 9999, y: -50, scale: 1 }, plan, frame), { x: 500, y: 0, scale: 1 });
  assert.deepEqual(keptInside({ x: 0, y: 0, scale: 0.01 }, plan, frame), { x: -1500, y: 0, scale: 0.125 });
  assert.equal(keptInside({ x: 0, y: 0, scale: 99 }, plan, frame).scale, 3);
});

test("what is under the pointer stays there", () => {
  const [before, px, py] = [{ x: 40, y: 70, scale: 0.5 }, 120, 30];
  const after = zoomed(before, 2, px, py);
  assert.equal(after.x + px / after.scale, before.x + px / before.scale);
  assert.equal(after.y + py / after.scale, before.y + py / before.scale);
});
