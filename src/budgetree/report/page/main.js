// @ts-check
// Everything together: the data, the tabs, and what changes when another tree is picked.

import { showFrontier } from "./chart.js";
import { goBack, startConsultation } from "./consult.js";
import { narrow, placeDetail } from "./detail.js";
import { byId } from "./dom.js";
import { showFacts, showPrices, showProof, showSubtitle } from "./facts.js";
import { indexTree } from "./model.js";
import { connectSearch } from "./search.js";
import { foldAll, prepareToPrint, showTree, unfoldTo } from "./tree.js";

/**
 * @typedef {import("./types.d.ts").Content} Content
 * @typedef {import("./types.d.ts").Point} Point
 * @typedef {import("./types.d.ts").Session} Session
 * @typedef {import("./types.d.ts").Tree} Tree
 * @typedef {import("./types.d.ts").View} View
 */

/** @type {Content} */
const content = JSON.parse(byId("content").textContent ?? "");
const shown = /** @type {{ view: View, session: Session }} */ ({});
const search = connectSearch(() => shown.view);

/** @param {Tree} tree */
function showOneTree(tree) {
  const index = indexTree(content, tree);
  showFacts(content, tree);
  showProof(content, tree);
  shown.view = showTree(index);
  shown.session = startConsultation(index);
  search();
}

/**
 * @param {HTMLElement[]} tabs
 * @param {HTMLElement} chosen
 * @param {boolean} focus
 */
function selectTab(tabs, chosen, focus) {
  for (const tab of tabs) {
    const selected = tab === chosen;
    tab.setAttribute("aria-selected", String(selected));
    tab.tabIndex = selected ? 0 : -1;
    byId(tab.getAttribute("aria-controls") ?? "").hidden = !selected;
  }
  if (focus) chosen.focus();
}

function connectTabs() {
  /** @type {NodeListOf<HTMLElement>} */
  const found = document.querySelectorAll("[role=tab]");
  const tabs = [...found];
  selectTab(tabs, tabs[0], false);
  tabs.forEach((tab, at) => {
    tab.addEventListener("click", () => selectTab(tabs, tab, false));
    tab.addEventListener("keydown", (event) => {
      /** @type {Record<string, number>} */
      const places = { ArrowRight: at + 1, ArrowLeft: at - 1 + tabs.length, Home: 0, End: tabs.length - 1 };
      if (!(event.key in places) || event.altKey) return;
      event.preventDefault();
      selectTab(tabs, tabs[places[event.key] % tabs.length], true);
    });
  });
}

// Backspace and Alt+Left go back a step of the consultation, but never take a letter from someone who types.
function connectBackKeys() {
  document.addEventListener("keydown", (event) => {
    const typing = event.target instanceof Element && event.target.closest("input, textarea") !== null;
    const back = event.key === "Backspace" || (event.key === "ArrowLeft" && event.altKey);
    if (!back || typing || byId("panel-consult").hidden) return;
    if (goBack(shown.session)) event.preventDefault();
  });
}

function connectPrinting() {
  window.addEventListener("beforeprint", () => prepareToPrint(shown.view));
  window.matchMedia("print").addEventListener("change", (event) => event.matches && prepareToPrint(shown.view));
}

showSubtitle(content);
showPrices(content);
connectTabs();
connectBackKeys();
connectPrinting();
const narrowScreen = narrow(); // kept, or nobody would listen
narrowScreen.addEventListener("change", () => placeDetail(shown.view.current.line));
byId("unfold-all").addEventListener("click", () => unfoldTo(shown.view, shown.view.root, Infinity));
byId("fold-all").addEventListener("click", () => foldAll(shown.view));
if (content.points.length > 1) {
  /** @param {number} at */
  const pick = (at) => {
    mark(at);
    showOneTree(content.trees[content.points[at].tree]);
  };
  const mark = showFrontier(content, pick);
  pick(Math.max(content.points.findIndex((point) => point.tree === content.chosen), 0));
} else {
  showOneTree(content.trees[content.chosen]);
}
