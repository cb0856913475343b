import assert from "node:assert/strict";
import test from "node:test";

import { amount, countIn, inUnit, pickLanguage, say, sayParts, typedNumber } from "../../../../src/budgetree/report/page/words.js";
import { inLanguage, languages } from "./speaking.js";

const gaps = (form) => [...form.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
const forms = (text) => (typeof text === "string" ? { other: text } : text);

test("every language has the same keys, each with the same gaps and the forms that its plurals need", () => {
  for (const [code, texts] of Object.entries(languages)) {
    assert.deepEqual(Object.keys(texts), Object.keys(languages.en), code);
    for (const [key, text] of Object.entries(texts)) {
      const english = forms(languages.en[key]);
      assert.equal(typeof text, typeof languages.en[key], `${code} ${key}`);
      if (typeof text !== "string") {
        const needed = new Intl.PluralRules(code).resolvedOptions().pluralCategories;
        assert.deepEqual(Object.keys(text).sort(), [...needed].sort(), `${code} ${key}`);
      }
      const { other, ...fewer } = forms(text);
      assert.deepEqual(gaps(other), gaps(english.other), `${code} ${key}`);
      for (const form of Object.values(fewer)) assert.ok(gaps(form).every((gap) => gaps(other).includes(gap)), `${code} ${key}`);
    }
  }
});

test("one and many are right in both languages", () => {
  const counts = (key) => [0, 1, 2, 1.5].map((count) => say(key, { count }));
  assert.deepEqual(counts("count.cases"), ["0 cases", "1 case", "2 cases", "1.5 cases"]);
  assert.deepEqual(inLanguage("de", () => counts("count.cases")), ["0 Fälle", "1 Fall", "2 Fälle", "1,5 Fälle"]);
  assert.deepEqual(inLanguage("de", () => counts("count.classes")), ["0 Klassen", "1 Klasse", "2 Klassen", "1,5 Klassen"]);
});

test("the address decides before the report, and the report before the reader", () => {
  assert.equal(pickLanguage(languages, ["de", "en", "en-GB"]), "de");
  assert.equal(pickLanguage(languages, [null, "de", "en"]), "de");
  assert.equal(pickLanguage(languages, [null, null, "fr-CA", "de-AT", "en"]), "de");
  assert.equal(pickLanguage(languages, ["tlh", null]), "en");
  assert.equal(pickLanguage(languages, ["constructor"]), "en");
});

test("a text without its key is an error, and elements may fill gaps", () => {
  assert.throws(() => say("no.such"), /no text no\.such/);
  assert.deepEqual(sayParts("consult.in_all", { spent: 2.5 }), ["Spent in all: ", "2.5", "."]);
});

test("numbers are typed as the language writes them, and refused where they could be two", () => {
  assert.equal(typedNumber("1,5"), null);
  assert.equal(typedNumber(" 1.5 "), 1.5);
  inLanguage("de", () => {
    assert.equal(amount(1234.5), "1234,5");
    assert.equal(typedNumber("1,5"), 1.5);
    assert.equal(typedNumber("1.5"), 1.5);
    for (const text of ["1.234", "1.234,5", "1,2,3", "eins"]) assert.equal(typedNumber(text), null, text);
  });
});

test("costs have the user's unit, behind the number or where it says so", () => {
  try {
    const shown = (unit) => {
      countIn(unit);
      return [inUnit(12.5), inLanguage("de", () => inUnit(12.5))];
    };
    assert.deepEqual(shown(undefined), ["12.5", "12,5"]);
    assert.deepEqual(shown("€"), ["12.5 €", "12,5 €"]);
    assert.deepEqual(shown("$& {}"), ["$& 12.5", "$& 12,5"]);
  } finally {
    countIn("");
  }
});
