// @ts-check
// The header's key facts, the price list and the proof: what is read rather than used.

import { amount, byId, capital, cases, clean, counted, element, errors, percent, rounded, tableOf, total } from "./dom.js";
import { confusionParts, digits, errorWords, lossParts } from "./losses.js";

/**
 * @typedef {import("./types.d.ts").Content} Content
 * @typedef {import("./types.d.ts").Test} Test
 * @typedef {import("./types.d.ts").Tree} Tree
 */

/** @param {Content} content */
export function showSubtitle(content) {
  const sizes = [
    cases(total(content.trees[0].nodes[0].counts)),
    counted(content.tests.length, "test", "tests"),
    counted(content.classes.length, "class", "classes"),
  ];
  byId("subtitle").textContent = `Learned from ${sizes.join(", ")}.`;
  byId("colophon").textContent = `Made by budgetree ${content.version}. This file works offline and sends nothing.`;
}

/**
 * @param {Content} content
 * @param {Tree} tree
 */
export function showFacts(content, tree) {
  const all = total(tree.nodes[0].counts);
  const differs = clean(tree.known_max_cost) !== clean(tree.max_cost);
  const known = differs ? `; known cases at most ${amount(tree.known_max_cost)}` : "";
  const proof = proofFact(content, tree);
  const facts = [
    ["Worst case", amount(tree.max_cost), `no case costs more${known}`],
    ["Mean cost", rounded(tree.mean_cost), `over the known cases; ${counted(tree.depth, "test", "tests")} at most`],
    lossFact(content, tree, all),
    ...newCasesFact(tree),
    ["Proof", proof.value, proof.note],
  ];
  byId("facts").replaceChildren(
    ...facts.map(([name, value, note]) =>
      element("div", {}, element("dt", {}, name), element("dd", { class: "value" }, value), element("dd", {}, note)),
    ),
  );
}

/**
 * @param {Content} content
 * @param {Tree} tree
 * @param {number} all
 */
export function lossFact({ losses }, tree, all) {
  if (losses === null) return ["Errors", amount(tree.errors), `of ${cases(all)} (${percent(tree.errors, all)})`];
  return ["Loss", amount(tree.loss), `of ${cases(all)}: ${errorWords(tree)}`];
}

/**
 * Nothing where no cases were held out.
 * @param {Tree} tree
 */
export function newCasesFact(tree) {
  if (tree.expected === null) return [];
  const { error, se, overfitted, loss, loss_se: lossSe } = tree.expected;
  const share = `${(100 * error).toFixed(1)}%`;
  const mark = overfitted ? "; overfitted" : "";
  if (loss === undefined || lossSe === undefined) {
    return [["New cases", share, `wrong, ± ${(100 * se).toFixed(1)}${mark}`]];
  }
  return [["New cases", digits(loss, 3), `lost a case, ± ${digits(lossSe, 2)}; ${share} wrong${mark}`]];
}

/**
 * What Python says was proven; a certificate may say more where that leaves something open.
 * @param {Content} content
 * @param {Tree} tree
 */
export function proofFact({ losses }, tree) {
  const [note] = tree.statement.sentences;
  if (tree.statement.proven) return { value: "Proven", note };
  const certificate = tree.certificate;
  if (certificate && certificate.lower_bound > 0) {
    const ratio = certificate.ratio ?? Infinity;
    const value = ratio === 1 ? "Proven" : `Within ${rounded(ratio)} times`;
    const few = losses === null ? "with as few errors" : "that loses as little";
    return { value, note: `any tree ${few} costs at least ${amount(certificate.lower_bound)}` };
  }
  return { value: "Open", note };
}

/**
 * @param {Content} content
 * @param {Tree} tree
 */
export function showProof(content, tree) {
  const does = content.losses === null ? `makes ${errors(tree.errors)}` : `loses ${amount(tree.loss)} (${errorWords(tree)})`;
  const found = `This tree ${does} within a budget of ${amount(tree.max_cost)}. It was made by: ${tree.origin}.`;
  const certified = tree.certificate ? tree.certificate.lines : [];
  const lines = [found, ...tree.statement.sentences, ...certified];
  const paragraphs = lines.map((line) => element("p", {}, capital(line)));
  const note = tree.certificate
    ? "What the certificate says was not checked for this page. Anyone who has the table of known cases can check it."
    : `The ${content.losses === null ? "errors are those" : "loss is that"} on the known cases. New cases may differ from them.`;
  byId("panel-proof").replaceChildren(
    element("h2", {}, "How good the tree is"),
    element("div", { class: "prose" }, ...paragraphs, element("p", { class: "quiet" }, note)),
    ...confusionParts(content, tree),
  );
}

/** @param {Content} content */
export function showPrices(content) {
  const users = content.fees.map((_, fee) => content.tests.filter((test) => test.fees.includes(fee)));
  const rows = content.tests.map((test) => {
    const fees = test.fees.map((fee) => `${content.fees[fee].name} (${amount(content.fees[fee].amount)})`).join(", ");
    const name = element("th", { scope: "row" }, test.name);
    return element("tr", {}, name, priceCell(test), element("td", {}, fees || "none"));
  });
  const parts = [element("h2", {}, "What the tests cost"), priceTable(["Test", "Price", "Shared fee"], rows)];
  if (content.fees.length) {
    parts.push(
      element("h3", {}, "Shared fees"),
      element("p", { class: "prose" }, "A shared fee is paid once per case, with the first test that needs it."),
      priceTable(
        ["Fee", "Amount", "Tests"],
        content.fees.map((fee, at) => {
          const tests = users[at].map((test) => test.name).join(", ");
          const name = element("th", { scope: "row" }, fee.name);
          return element("tr", {}, name, element("td", { class: "number" }, amount(fee.amount)), element("td", {}, tests));
        }),
      ),
    );
  }
  byId("panel-prices").replaceChildren(...parts, ...lossParts(content));
}

/**
 * One price, or one line per price with the outcomes that cost it.
 * @param {Test} test
 */
function priceCell(test) {
  /** @type {Map<string, string[]>} */
  const byPrice = new Map();
  test.prices.forEach((price, outcome) => {
    byPrice.set(amount(price), [...(byPrice.get(amount(price)) || []), test.outcomes[outcome]]);
  });
  if (byPrice.size === 1) return element("td", { class: "number" }, amount(test.prices[0]));
  const lines = [...byPrice].map(([price, names]) => element("div", {}, `${price} if ${names.join(", ")}`));
  return element("td", { class: "number" }, ...lines);
}

/**
 * @param {string[]} headings
 * @param {HTMLElement[]} rows
 */
function priceTable(headings, rows) {
  return element("div", { class: "table-frame wide" }, tableOf({}, headings, [1], rows));
}
