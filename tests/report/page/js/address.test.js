import assert from "node:assert/strict";
import test from "node:test";

import { readAddress } from "../../../../src/budgetree/report/page/address.js";

test("an address asks for a budget and a language, or for neither", () => {
  assert.deepEqual(readAddress(""), { language: null, budget: null });
  assert.deepEqual(readAddress("?lang=de&budget=300"), { language: "de", budget: { text: "300", number: 300 } });
  assert.equal(readAddress("?budget=0.5").budget.number, 0.5);
});

test("what is no budget is kept, to be shown", () => {
  for (const text of ["much", "-3", "", "1e999", "0x10"]) {
    assert.deepEqual(readAddress(`?budget=${text}`).budget, { text, number: null });
  }
});
