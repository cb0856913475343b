import assert from "node:assert/strict";
import test from "node:test";

import { refusal } from "../../../../src/budgetree/report/page/answers.js";
import "./speaking.js";

test("numbers as people type them are read", () => {
  for (const text of ["4.5", " 4 ", "-.5", "+3.", "1e-3"]) assert.equal(refusal(text), "");
});

test("a number far beyond the known ones is refused, unless no limits are given", () => {
  assert.equal(refusal("54", [20, 87]), "");
  assert.match(refusal("570", [20, 87]), /^570 is not possible here: expected 20 to 87\. If it is right, put/);
  assert.equal(refusal("570", null), "");
});

test("what is not a number is refused with a reason", () => {
  assert.match(refusal(" "), /Enter a number first/);
  assert.match(refusal("tall"), /"tall" is not a number, such as 4\.5\.$/);
  assert.match(refusal("1,5"), /Use a point for decimals/);
  assert.match(refusal("0x10"), /is not a number/);
  assert.match(refusal("1e999"), /is too large/);
});
