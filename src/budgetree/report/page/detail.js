// @ts-check
// The branch under the pointer or in focus: how many cases, what they have cost and may still cost, which classes.

import { amount, byId, className, classBars, element, percent, total, visible } from "./dom.js";
import { firstHighest, lossOf } from "./losses.js";
import { countsIn, isLeaf, isPurchase, modelTests, nodeShares, priceWords } from "./model.js";

/**
 * @typedef {import("./types.d.ts").Index} Index
 * @typedef {import("./types.d.ts").Row} Row
 */

/** A phone, or a narrow window. */
export const narrow = () => window.matchMedia("(max-width: 59.99rem)");

/** @type {HTMLElement | null} */
let detailPanel = null;

/** The panel; kept, since it may be in a tree that another one has just replaced. */
const panel = () => (detailPanel ??= byId("detail"));

/**
 * Beside the tree where there is room; on a phone below the row in focus, where the thumb is.
 * @param {Element} line
 */
export function placeDetail(line) {
  if (narrow().matches) line.after(panel());
  else document.querySelector(".tree-columns")?.append(panel());
}

/**
 * @param {Index} index
 * @param {Pick<Row, "group" | "branch">} row
 */
export function showDetail(index, row) {
  const { content } = index;
  const group = index.groups[row.group];
  const first = group.nodes[0];
  const node = index.nodes[first];
  const counts = countsIn(index, group);
  const all = total(counts);
  const facts = [
    ["Known cases", `${amount(all)} (${percent(all, total(index.nodes[0].counts))} of all)`],
    ["Spent on arrival", amount(node.spent)],
  ];
  const heading = element("h3", {});
  if (isLeaf(node)) {
    const tests = modelTests(index, first);
    if (tests) facts.push(["Answered by", `the model of ${tests.join(", ") || "no test"}`]);
    const what = tests ? "By a model, mostly " : node.label < content.classes.length ? "Diagnosis: " : "Answer: ";
    heading.append(what, className(content, tests ? firstHighest(nodeShares(index, first)) : node.label));
    if (!tests && node.label < content.classes.length) {
      const wrong = all - counts[node.label];
      facts.push(["Wrong here", `${amount(wrong)} (${percent(wrong, all)})`]);
    }
    if (!tests && content.losses) facts.push(["Loss here", amount(lossOf(content.losses, counts, node.label))]);
  } else {
    heading.append(visible(`${isPurchase(index, first) ? "Buy" : "Test"}: ${content.tests[node.test].name}`));
    facts.push(["This test", priceWords(index, first)], ["Still to pay at worst", amount(index.remaining[first])]);
  }
  panel().replaceChildren(
    heading,
    element("p", { class: "quiet" }, row.branch ? `after ${row.branch.names.join(", ")}` : "the first test"),
    element("dl", {}, ...facts.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)])),
    classBars(content, counts),
  );
}
