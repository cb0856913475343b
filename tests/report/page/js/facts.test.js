import assert from "node:assert/strict";
import test from "node:test";

import { boundInWords, proofFact } from "../../../../src/budgetree/report/page/facts.js";
import { content } from "./content.js";

const [tree] = content().trees;
const point = (changes) => ({ max_cost: 3, errors: 5, error_rate: 0.1, lower_bound: 5, proven: true, source: "exact search", tree: 0, cheapest: false, ...changes });

test("proven is said of proven points alone", () => {
  assert.equal(proofFact(tree, point()).value, "Proven");
  assert.equal(proofFact(tree, point({ proven: false, lower_bound: 1 })).value, "Open");
  assert.equal(proofFact(tree, point({ proven: false, lower_bound: 1 })).note, "at least 1 error with any tree");
  assert.equal(proofFact(tree, point({ proven: false, lower_bound: 0 })).value, "Open");
  assert.equal(proofFact(tree, null).note, "nothing was proven about other trees");
});

test("a certificate proves a cost", () => {
  const certified = (ratio) => ({ ...tree, certificate: { lines: [], ratio, lower_bound: ratio ? 2 : 0 } });
  assert.equal(proofFact(certified(1), null).value, "Proven");
  assert.equal(proofFact(certified(1.5), null).value, "Within 1.5 times");
  assert.equal(proofFact(certified(null), null).value, "Open");
});

test("the cheapest is claimed only where it is proven", () => {
  assert.equal(boundInWords(point()).length, 2);
  assert.match(boundInWords(point({ cheapest: true }))[2], /it is the cheapest such tree/);
  assert.match(boundInWords(point({ proven: false, lower_bound: 2 }))[2], /up to 3 fewer than this one; that was not settled/);
  assert.match(boundInWords(point({ proven: false, lower_bound: 0 }))[1], /Nothing was proven/);
  assert.match(boundInWords(null)[0], /Nothing was proven/);
});
