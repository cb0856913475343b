import assert from "node:assert/strict";
import test from "node:test";

import { amount, countIn, inUnit, pickLanguage, say, sayAgain, sayParts, typedNumber } from "../../../../src/budgetree/report/page/words.js";
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

test("Python's sentences are said again, their parts too", () => {
  const german = (sentence, kind) => inLanguage("de", () => sayAgain(sentence, kind));
  assert.equal(sayAgain("No tree at any budget makes fewer errors."), "No tree at any budget makes fewer errors.");
  assert.equal(german("No tree at any budget makes fewer errors."), "Kein Baum mit beliebigem Budget macht weniger Fehler.");
  assert.equal(german("No tree within a budget of 5.1 loses less."), "Kein Baum mit einem Budget von 5,1 verliert weniger.");
  const might = (many) => `Some tree within a budget of 2 might make as few as ${many}.`;
  assert.equal(german(might("1 error")), "Ein Baum mit einem Budget von 2 könnte mit nur 1 Fehler auskommen.");
  assert.equal(german(might("7 errors")), "Ein Baum mit einem Budget von 2 könnte mit nur 7 Fehlern auskommen.");
  assert.equal(german("exact search, min_cases=3"), "exakte Suche, min_cases=3");
  assert.equal(german("on 1,234 rows held out"), "an 1\u202f234 zurückgehaltenen Zeilen");
  assert.equal(german("nobody said this"), "nobody said this");
  assert.equal(german("0.5 to 3", "range."), "0,5 bis 3");
  assert.equal(german("2.50 or more", "range."), "2,50 oder mehr");
  assert.equal(german("any", "range."), "beliebig");
});

test("numbers of a sentence keep their digits and get the language's marks", () => {
  const german = (text, kind) => inLanguage("de", () => sayAgain(text, kind));
  assert.equal(german("33.4 to 41.0", "range."), "33,4 bis 41,0");
  assert.equal(german("-7.0 to 10.8", "range."), "-7,0 bis 10,8");
  const rows = german("error on new cases: on 1,020,000 rows held out", "said.");
  assert.match(rows, /1\u202f020\u202f000/);
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
    const sentence = (cost) => inLanguage("de", () => sayAgain(`No tree within a budget of ${cost} makes fewer errors.`));
    assert.match(sentence("12.5"), / 12,5 /);
    assert.match(sentence("$& 12.5"), / \$& 12,5 /);
    assert.match(sentence("12.5 €"), / 12.5 € /); // of another unit: it stays as it is
    countIn("€");
    assert.match(sentence("12.5 €"), / 12,5 € /);
  } finally {
    countIn("");
  }
});
