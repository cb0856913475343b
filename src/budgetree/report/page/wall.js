// Paper for the wall: every stage as a numbered box with its tests, points, prices and answers; one page where they fit.

import { byId, element, numberCell, percent, printOnly, total } from "./dom.js";
import { pointsTable } from "./detail.js";
import { lossFact, plainWords, stabilityFact, whole } from "./facts.js";
import { byWords, countsIn, leafWords, priceWords, ruleOf, stageWords } from "./model.js";
import { amount, listed, ofEach, say } from "./words.js";

/** @import { Child, Group, Index, Leaf, TreeNode, View } from "./types.d.ts" */

// Sizes of letters, in points, and columns, until it fits: what can be read at arm's length first.
const TRIES = [[12, 1], [11, 1], [10, 1], [10, 2], [9, 2], [8, 2]];
const MILLIMETRE = 96 / 25.4;
const PAPER = { a4: { width: 190, height: 277 }, letter: { width: 196, height: 259 } }; // within margins of 10 mm
const LETTER = ["en-US", "en-CA", "es-MX"]; // whose readers have no A4

/** @param {View} view */
export function printWall(view) {
  const paper = LETTER.includes(navigator.language) ? "letter" : "a4";
  const wall = byId("wall");
  wall.className = `paper ${paper}`;
  wall.replaceChildren(...wallParts(view.index));
  fit(wall, PAPER[paper]);
  printOnly("wall");
}

/**
 * The largest letters with which it fits on one page; where none do, the smallest, and it takes several.
 * @param {HTMLElement} wall
 * @param {{ width: number, height: number }} page in millimetres
 */
function fit(wall, { width, height }) {
  wall.style.display = "block";
  wall.style.width = `${width * MILLIMETRE}px`;
  for (const [size, columns] of TRIES) {
    wall.style.fontSize = `${size}pt`;
    wall.style.setProperty("--columns", String(columns));
    const isCut = [...wall.querySelectorAll(".stage")].some((stage) => stage.scrollWidth > stage.clientWidth);
    if (!isCut && wall.scrollHeight <= height * MILLIMETRE * 0.98) break;
  }
  wall.style.display = wall.style.width = "";
}

/** @param {Index} index */
export function wallParts(index) {
  const { content, tree, groups } = index;
  const number = stageNumbers(index);
  const notes = [say("wall.worst", { cost: ofEach(tree, (of) => of.max_cost) }), say("page.learned", { sizes: say("count.cases", { count: total(index.nodes[0].counts) }) })];
  if (groups.some(({ points }) => points)) notes.push(say("wall.add"));
  if (index.nodes.some(isByModel)) notes.push(say("wall.by_model"));
  const stages = [...number.keys()].map((group) => stageCard(index, group, number));
  const facts = [...(content.losses ? [lossFact(content, tree, total(index.nodes[0].counts))] : []), ...stabilityFact(content, tree)];
  return [
    element("h1", {}, content.title),
    element("p", { class: "quiet" }, notes.join(" ")),
    element("p", { class: "quiet" }, plainWords(content, tree)),
    groups[0].branches ? element("div", { class: "stages" }, ...stages) : element("p", {}, ...leafWords(index, /** @type {Leaf} */ (index.nodes[0]))),
    ...facts.map((fact) => element("p", { class: "quiet" }, fact.join(" "))),
  ];
}

/** Whether what happens there cannot be found by hand. @param {TreeNode} node */
const isByModel = (node) => ruleOf(node) === "model" || (node.kind === "by_total" && (node.at ?? node.confidence) !== undefined);

/** The numbers of the stages, by group: what follows a stage comes behind it. @param {Index} index */
export function stageNumbers({ groups }) {
  /** @type {Map<number, number>} */
  const number = new Map();
  const pending = [0];
  for (let group = pending.pop(); group !== undefined; group = pending.pop()) {
    const { branches } = groups[group];
    if (!branches) continue;
    number.set(group, number.size + 1);
    pending.push(...branches.map((branch) => branch.below).reverse());
  }
  return number;
}

/** @param {Index} index @param {number} place of the group @param {Map<number, number>} number */
function stageCard(index, place, number) {
  const group = index.groups[place];
  const [{ asked }, by] = [stageWords(index, group), byWords(index, group, place)];
  const { content, groups, tree } = index;
  const all = total(index.nodes[0].counts);
  const here = total(countsIn(index, group));
  const spent = (/** @type {Index} */ of) => Math.max(...(group.branches ?? []).map(({ below }) => of.nodes[groups[below].nodes[0]].spent));
  const sizes = place ? ["", say("wall.in_all", { cost: ofEach(index, spent) }), say("wall.share", { share: percent(here, all) })] : [];
  const rows = endingsOf(index, group).map(({ names, below, answer, cases }) => {
    const next = number.get(below);
    const node = index.nodes[index.groups[below].nodes[0]];
    /** @type {Child[]} */
    const what = next ? [element("b", {}, say("wall.go_to", { number: next }))] : leafWords(index, /** @type {Leaf} */ (node), answer);
    const led = names.length ? element("td", {}, listed(names)) : null;
    const found = next || content.classes.length !== 2 ? [] : [`${amount(cases[tree.target])} ${content.classes[tree.target]}`];
    const size = say("bars.figures", { share: percent(total(cases), all), amount: listed([amount(total(cases)), ...found]) });
    return element("tr", {}, led, element("td", { colspan: led ? null : 2 }, ...what), numberCell(size));
  });
  const chances = (group.chances ?? []).map(([sum, chance]) => `${sum}: ${whole(chance)}`);
  return element(
    "section",
    { class: "stage", "data-stage": number.get(place) },
    element("h2", {}, element("span", { class: "stage-number" }, String(number.get(place))), ` ${asked}`),
    element("p", { class: "quiet" }, `${priceWords(index, group.buys ?? [])}${sizes.join(say("list.semicolon"))}`),
    pointsTable(index, group),
    by ? element("p", { class: "quiet" }, say("tree.by", { what: by })) : null,
    element("table", {}, element("tbody", {}, ...rows)),
    chances.length ? element("p", { class: "quiet" }, say("wall.chance", { class: content.classes[tree.target], chances: listed(chances) })) : null,
  );
}

/** Where the cases of a stage go: by totals one answer after the other, else by branch. @param {Index} index @param {Group} group */
function endingsOf(index, { endings, branches = [] }) {
  if (endings) return endings;
  return branches.map(({ names, below }) => ({ names, below, answer: null, cases: countsIn(index, index.groups[below]) }));
}
