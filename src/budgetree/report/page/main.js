// Everything together: the language, the data, the address, and what changes when another tree is picked.

import { readAddress } from "./address.js";
import { showFrontier } from "./chart.js";
import { goBack, startConsultation } from "./consult.js";
import { narrow } from "./detail.js";
import { byId } from "./dom.js";
import { showFacts, showPrices, showProof, showSubtitle } from "./facts.js";
import { showEvaluation } from "./evaluation.js";
import { connectMap } from "./map.js";
import { indexTree } from "./model.js";
import { nameAll } from "./names.js";
import { openRecord } from "./record.js";
import { connectSearch } from "./search.js";
import { connectTabs, placeOverview } from "./tabs.js";
import { foldAll, prepareToPrint, showTree, unfoldAll } from "./tree.js";
import { printWall } from "./wall.js";
import { countIn, inUnit, pickLanguage, say, speak } from "./words.js";

/** @import { Answer, Content, Session, Texts, View } from "./types.d.ts" */

const address = readAddress(window.location.search);
chooseLanguage();
const content = nameAll(/** @type {Content} */ (JSON.parse(byId("content").textContent ?? "")));
countIn(content.unit, content.decimals, content.further?.map(({ unit }) => unit));
const shown = /** @type {{ view: View, session: Session }} */ ({});
const map = connectMap(() => shown.view);
const search = connectSearch(() => shown.view, map.goTo);

/** Texts of the page itself stand in the attributes data-text and data-label of its elements. */
function chooseLanguage() {
  const { fixed, codes, texts } = /** @type {Texts} */ (JSON.parse(byId("texts").textContent ?? ""));
  const ownTexts = Object.entries(texts).map(([key, all]) => codes.map((_, at) => [key, all[at]]));
  const languages = Object.fromEntries(codes.map((code, at) => [code, Object.fromEntries(ownTexts.map((own) => own[at]))]));
  const code = pickLanguage(languages, [address.language, fixed, ...navigator.languages]);
  speak(code, languages);
  document.documentElement.lang = code;
  /** @type {NodeListOf<HTMLElement>} */
  const marked = document.querySelectorAll("[data-text], [data-label]");
  for (const node of marked) {
    const { text, label } = node.dataset;
    if (text) node.textContent = say(text);
    if (label) node.setAttribute("aria-label", say(label));
  }
}

/** @param {number} number of the tree @param {Answer[]} answers of a consultation that was loaded */
function showOneTree(number, answers = []) {
  const tree = content.trees[number];
  const index = indexTree(content, tree);
  showFacts(content, tree);
  showProof(content, tree);
  shown.view = showTree(index);
  shown.session = startConsultation(index, answers);
  search();
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
  byId("print-wall").addEventListener("click", () => printWall(shown.view));
}

/** @param {(point: number, answers?: Answer[]) => void} pick */
function connectLoading(pick) {
  const input = /** @type {HTMLInputElement} */ (byId("load"));
  input.addEventListener("change", async () => {
    const file = input.files?.[0];
    if (!file) return;
    const opened = openRecord(content, file.name, await file.text());
    input.value = ""; // the same file may be chosen again
    byId("loaded").textContent = opened.refused ?? say("record.loaded", { file: file.name });
    byId("loaded").classList.toggle("problem", opened.refused !== undefined);
    if (opened.refused === undefined) pick(opened.tree, opened.answers);
  });
}

function connectTreeViews() {
  const names = ["outline", "drawing"];
  /** @param {string} chosen */
  const show = (chosen) => {
    for (const name of names) byId(`show-${name}`).setAttribute("aria-pressed", String(name === chosen));
    byId("tree").hidden = chosen !== "outline";
    byId("map-view").hidden = chosen !== "drawing";
    map.draw();
  };
  for (const name of names) byId(`show-${name}`).addEventListener("click", () => show(name));
  byId("unfold-all").addEventListener("click", () => unfoldAll(shown.view));
  byId("fold-all").addEventListener("click", () => foldAll(shown.view));
}

/** The tree that the address asks for, by its budget; -1 where it asks for none that there is. */
function treeOfAddress() {
  if (address.budget === null) return -1;
  const budget = address.budget.number;
  const costs = content.trees.map((tree) => tree.max_cost);
  const cheapest = Math.min(...costs);
  const note = { budget: address.budget.text, cost: inUnit(cheapest) };
  byId("budget-note").hidden = false;
  if (budget === null) {
    byId("budget-note").textContent = say("consult.budget_unread", note);
    return -1;
  }
  const bought = costs.filter((cost) => cost <= budget + 1e-12 * Math.abs(budget));
  const cost = Math.max(cheapest, ...bought);
  byId("budget-note").textContent = say(bought.length ? "consult.budget" : "consult.budget_small", { ...note, budget: inUnit(budget), cost: inUnit(cost) });
  return costs.indexOf(cost);
}

showSubtitle(content);
showPrices(content);
showEvaluation(content);
connectBackKeys();
connectPrinting();
const narrowScreen = narrow(); // kept, or its listeners would be lost
placeOverview(narrowScreen.matches);
narrowScreen.addEventListener("change", () => placeOverview(narrowScreen.matches));
const isNamed = connectTabs(address.budget !== null || narrowScreen.matches ? "consult" : "tree");
const first = treeOfAddress();
/** @type {(number: number) => void} */
let mark = () => {};
/** @param {number} number @param {Answer[]} [answers] */
const pickTree = (number, answers) => {
  mark(number);
  showOneTree(number, answers);
};
if (content.points.length > 1) {
  const points = content.points.map((point) => point.tree);
  const markPoint = showFrontier(content, (at) => pickTree(points[at]));
  mark = (number) => markPoint(Math.max(points.indexOf(number), 0));
}
pickTree(first < 0 ? content.chosen : first);
connectTreeViews();
connectLoading(pickTree);
// The browser scrolls to what the address names; a view is named otherwise than its element, so it is done here.
if (isNamed || address.budget !== null) byId("views").scrollIntoView();
