// Finding a test or a diagnosis in the tree: every hit is unfolded to and marked; Enter goes to the next.

import { byId } from "./dom.js";
import { answersOf, isLeaf, stageWords } from "./model.js";
import { MAX_DEPTH, focusRow, reveal } from "./tree.js";
import { say } from "./words.js";

/** @import { Index, Row, View } from "./types.d.ts" */

/** moved(row) is called at each hit that is gone to. @param {() => View} currentView @param {(row: Row | null) => void} moved */
export function connectSearch(currentView, moved) {
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
    moved(null);
  }

  function report() {
    const rest = deeper ? say("tree.deeper", { count: deeper, tests: MAX_DEPTH }) : "";
    byId("hits").textContent = box.value.trim() ? hitWords(hits.length, place) + rest : "";
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
    moved(hits[place]);
  }

  box.addEventListener("input", search);
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    step(event.shiftKey && place >= 0 ? -1 : 1);
  });
  return search;
}

/** "3 of 12, Enter for the next"; the place is -1 before the first. @param {number} count @param {number} place */
export function hitWords(count, place) {
  if (!count) return say("tree.no_hits");
  return place < 0 ? say("tree.hits", { count }) : say("tree.hit", { place: place + 1, count });
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
    const names = isLeaf(node) ? answersOf(index, node).map(({ label }) => content.answers[label] ?? "") : Object.values(stageWords(index, groups[number]));
    if (names.some((name) => name.toLowerCase().includes(wanted))) found.push(number);
    pending.push(...(groups[number].branches ?? []).map((branch) => branch.below).reverse());
  }
  return found;
}
