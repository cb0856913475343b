import assert from "node:assert/strict";
import test from "node:test";

import { shortened } from "../../../../src/budgetree/report/page/boxes.js";

const ten = (text) => 10 * [...text].length;

test("a text that fits stays, and another is cut where the room ends", () => {
  assert.equal(shortened("heart rate", 100, ten), "heart rate");
  assert.equal(shortened("heart rate", 99, ten), "heart ra\u2026");
  assert.equal(shortened("heart rate", 70, ten), "heart\u2026");
  assert.equal(shortened("heart rate", 5, ten), "\u2026");
});

test("no letter is cut in two", () => {
  assert.equal(shortened("\u{1f469}\u{1f52c}\u{1f469}", 20, ten), "\u{1f469}\u2026");
});
