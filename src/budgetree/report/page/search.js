// @ts-check
// Finding a test or a diagnosis in the tree: every hit is unfolded to and marked; Enter goes to the next.

import { amount, byId, counted } from "./dom.js";
import { isLeaf } from "./model.js";
import { MAX_DEPTH, focusRow, reveal } from "./tree.js";

/**
 * @typedef {import("./types.d.ts").Index} Index
 * @typedef {import("./types.d.ts").Row} Row
 * @typedef {import("./types.d.ts").View} View
 */

/** @param {() => View} currentView */
export function connectSearch(currentView) {
  const box = /** @type {HTMLInputElement} */ (byId("search"));
  /** @type {Row[]} */
  let hits = [];
  let place = -1;
  let deeper = 0; // hits that are too deep to unfold to

  function search() {
    const view = currentView();
    document.querySelectorAll(".row.hit, .row.hit-now").forEach((line) => line.classList.remove("hit", "hit-now"));
    const { depth } = view.index;
    const found = groupsNamed(view.index, box.value);
    hits = found.filter((group) => depth[group] <= MAX_DEPTH).map((group) => reveal(view, group));
    deeper = found.length - hits.length;
    hits.forEach((row) => row.line.classList.add("hit"));
    place = -1;
    report();
  }

  function report() {
    const found = counted(hits.length, "hit", "hits");
    const rest = deeper ? `, and ${amount(deeper)} after more than ${MAX_DEPTH} tests` : "";
    byId("hits").textContent = !box.value.trim() ? "" : `${place < 0 ? "" : `${place + 1} of `}${found}${rest}`;
  }

  /** @param {number} by */
  function step(by) {
    if (!hits.length) return;
    if (place >= 0) hits[place].line.classList.remove("hit-now");
    place = (place + by + hits.length) % hits.length;
    const { line } = hits[place];
    line.classList.add("hit-now");
    line.scrollIntoView({ block: "center" });
    focusRow(currentView(), hits[place]);
    report();
  }

  box.addEventListener("input", search);
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    step(event.shiftKey && place >= 0 ? -1 : 1);
  });
  return search;
}

/**
 * The groups whose test or diagnosis has this text in its name, from top to bottom as the tree shows them.
 * @param {Index} index
 * @param {string} text
 */
export function groupsNamed(index, text) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return [];
  const { content, nodes, groups } = index;
  const found = [];
  const pending = [0];
  for (let number = pending.pop(); number !== undefined; number = pending.pop()) {
    const node = nodes[groups[number].nodes[0]];
    const name = isLeaf(node) ? content.answers[node.label] : content.tests[node.test].name;
    if (name.toLowerCase().includes(wanted)) found.push(number);
    pending.push(...(groups[number].branches ?? []).map((branch) => branch.below).reverse());
  }
  return found;
}
