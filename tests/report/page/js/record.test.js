import assert from "node:assert/strict";
import test from "node:test";

import "./fake_document.js";
import { indexTree } from "../../../../src/budgetree/report/page/model.js";
import { openRecord, recordOf } from "../../../../src/budgetree/report/page/record.js";
import { follow } from "../../../../src/budgetree/report/page/routing.js";
import { content } from "./content.js";
import { inLanguage } from "./speaking.js";

const small = content();
small.tests[1].encoding = { kind: "levels", thresholds: [2.5], low: 0, high: 5, missing: null };
const index = indexTree(small, small.trees[0]);
const TIME = "2026-01-02T03:04:05.000Z";
const ANSWERS = [
  { outcome: 0, said: "red", time: TIME },
  { outcome: 1, said: "4.5", measured: 4.5, time: TIME },
];
const saved = (...answers) => recordOf(index, follow(index, answers));
const opened = (record) => openRecord(small, "case.json", typeof record === "string" ? record : JSON.stringify(record));

test("a record has tests, answers, times, cost, probabilities and the model", () => {
  const record = saved(...ANSWERS);
  assert.equal(record.model, "d1");
  assert.equal(record.cost, 5.1);
  assert.equal(record.answer, "well");
  assert.equal(record.finished, TIME);
  assert.deepEqual(record.probabilities, [{ class: "well", probability: 1 }, { class: "ill", probability: 0 }]);
  assert.deepEqual(record.steps[0], { test: "colour", outcome: 0, result: "red", available: true, time: TIME, price: 2.1 });
  assert.equal(record.steps[1].measured, 4.5);
});

test("a saved consultation is loaded as it was, also in another language", () => {
  for (const answers of [ANSWERS, [{ outcome: null, said: "not available", unavailable: true, time: TIME }, { outcome: null, said: "none of these", time: TIME }]]) {
    assert.deepEqual(opened(saved(...answers)), { tree: 0, answers });
  }
  const german = inLanguage("de", () => opened(saved(...ANSWERS)));
  assert.equal(german.answers[1].said, "4,5");
});

test("what is not a consultation of this model is refused in words", () => {
  assert.match(opened("no").refused, /case\.json is not a saved consultation: it is not JSON/);
  for (const text of ["null", "[]", '{"format": "other"}']) assert.match(opened(text).refused, /is not a saved consultation\./);
  const record = saved(...ANSWERS);
  assert.match(opened({ ...record, model: "0123456789abcdef", title: "Other" }).refused, /another model, Other \(0123456789ab\)/);
  assert.match(opened({ ...record, version: 2 }).refused, /is of version 2; this page reads version 1/);
});

test("answers that the tree would not have asked for are refused", () => {
  const record = saved(...ANSWERS);
  const changed = (at, change) => ({ ...record, steps: record.steps.map((step, place) => (place === at ? { ...step, ...change } : step)) });
  for (const [at, change] of [[0, { test: "size" }], [0, { outcome: 3 }], [0, { outcome: "red" }], [1, { measured: 1 }], [1, { measured: "4.5" }], [0, { measured: 1 }]]) {
    assert.match(opened(changed(at, change)).refused, /answers that do not fit the model's tests/, JSON.stringify(change));
  }
  assert.match(opened({ ...record, steps: [...record.steps, record.steps[0]] }).refused, /do not fit/);
  assert.match(opened({ ...record, steps: [null] }).refused, /do not fit/);
});
