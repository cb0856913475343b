import assert from "node:assert/strict";
import test from "node:test";

import "./fake_document.js";
import * as dom from "../../../../src/budgetree/report/page/dom.js";
import { amount } from "../../../../src/budgetree/report/page/words.js";
import { content } from "./content.js";
import "./speaking.js";

test("sums of prices show no float dust", () => {
  assert.equal(amount(0.1 + 0.2), "0.3");
  assert.equal(dom.total([0.1, 0.2, 0.7]), 1);
  assert.equal(dom.span(0.1 + 0.2, 0.3), "0.3");
  assert.equal(dom.span(1, 2.5), "1 to 2.5");
});

test("all and nothing are said only where they are true", () => {
  assert.equal(dom.percent(0, 7), "0%");
  assert.equal(dom.percent(7, 7), "100%");
  assert.equal(dom.percent(9999.5, 10000), "over 99.9%");
  assert.equal(dom.percent(1, 10000), "under 0.1%");
  assert.equal(dom.percent(1, 3), "33.3%");
  assert.equal(dom.percent(0, 0), "0%");
});

test("one thing is singular", () => {
  assert.equal(dom.errors(1), "1 error");
  assert.equal(dom.cases(0), "0 cases");
  assert.equal(dom.cases(0.5), "0.5 cases");
});

test("means have four digits", () => {
  assert.equal(dom.rounded(1 / 3), "0.3333");
  assert.equal(dom.rounded(123456.78), "123456.8");
});

test("text enters as text and attributes only where they have a value", () => {
  let clicks = 0;
  const made = dom.element("p", { id: "a", hidden: true, class: null, open: false, click: () => clicks++ }, "<b>", null, "x");
  assert.deepEqual(made.attributes, { id: "a", hidden: "" });
  assert.deepEqual(made.children, ["<b>", "x"]);
  made.listeners.click();
  assert.equal(clicks, 1);
});

test("a table has a heading per column, numbers to the right", () => {
  const table = dom.tableOf({ class: "points" }, ["Budget", "Proof"], [0], [dom.element("tr", {}, "row")]);
  assert.equal(table.textContent, "BudgetProofrow");
  assert.equal(table.ofClass("number").length, 1);
});

test("a stacked bar has a part for each class that occurs", () => {
  assert.equal(dom.stackedBar([3, 0, 1]).children.length, 2);
  assert.equal(dom.stackedBar([3, 0, 1]).children[0].style.flexGrow, "0.75");
});

test("of many classes a stacked bar has the five largest and a grey rest", () => {
  const bar = dom.stackedBar([...Array(8).fill(1), 4, ...Array(191).fill(0)]);
  assert.equal(bar.children.length, 6);
  assert.equal(bar.children[0].style.flexGrow, String(4 / 12));
  assert.equal(bar.children[5].className ?? bar.children[5].attributes.class, "hue-none");
  assert.equal(dom.stackedBar(Array(12).fill(1)).children.length, 12);
});

test("of many classes only those with cases are listed", () => {
  const few = dom.classBars(content(), [2, 0]);
  assert.equal(few.ofClass("ruled-out").length, 1);
  const many = dom.classBars({ ...content(), classes: Array.from({ length: 13 }, String) }, [2, ...Array(12).fill(0)]);
  assert.equal(many.children.length, 2);
  assert.match(many.textContent, /12 classes have no known case here\.$/);
});

test("of many classes the five largest have bars, and the rest is counted", () => {
  const names = Array.from({ length: 200 }, (_, label) => String(label));
  const many = { ...content(), classes: names, answers: names };
  const counts = Array.from({ length: 200 }, (_, label) => (label === 7 ? 9 : 1));
  const bars = dom.classBars(many, counts);
  assert.equal(bars.children.length, 6);
  assert.match(bars.children[0].textContent, /^7/);
  assert.equal(bars.children[5].textContent, "and 195 more");
  assert.equal(dom.stackedBar(counts).children.length, 6);
  assert.deepEqual(dom.largest([1, 0, 3]), { places: [0, 2], more: 0 });
});

test("names are shown as what they are, also those that turn a line round", () => {
  assert.equal(dom.visible("a\u202eb\u0007\n\ud800\u{e0041}"), "a\\u202eb\\x07\\n\\ud800\\U000e0041");
  const kept = "gr\u00f6\u00dfe \u05e9\u05dc\u05d5\u05dd \u0645\u06cc\u200c\u062e \u{1f469}\u200d\u{1f52c}";
  assert.equal(dom.visible(kept), kept);
  assert.equal(dom.element("b", { title: "\u202e" }, "\u202e").textContent, "\\u202e");
});
