// @ts-check
// What moved the answer: the probability of the diagnosis before and after each result, as tree/explanation.py does it.

import { element, percent } from "./dom.js";
import { firstHighest } from "./losses.js";
import { innerNode, nodeShares, testAt } from "./model.js";
import { contributions, softmax } from "./routing.js";
import { numeral, say } from "./words.js";

/**
 * @typedef {import("./types.d.ts").Explanation} Explanation
 * @typedef {import("./types.d.ts").Index} Index
 * @typedef {import("./types.d.ts").Models} Models
 * @typedef {import("./types.d.ts").Part} Part
 * @typedef {import("./types.d.ts").State} State
 * @typedef {import("./types.d.ts").Step} Step
 */

const SMALLEST = 0.05; // points that are shown
const MOST_PARTS = 8; // that are listed

/**
 * @param {Index} index
 * @param {State} state
 * @returns {Explanation}
 */
export function explain(index, state) {
  const steps = state.steps.filter((step) => !step.again);
  const model = index.nodes[state.at].model;
  const byModel = model !== undefined && index.tree.models !== undefined;
  const shares = byModel ? sharesByModel(index, model, steps) : sharesOnPath(index, state);
  const about = aboutClass(index, state);
  const moves = shares.map((share) => share[about]);
  const parts = steps.map((step, place) => ({
    step,
    before: moves[place],
    after: moves[place + 1],
  }));
  return { byModel, start: moves[0], parts };
}

/**
 * The class whose probability is explained: the answer, or the likeliest where the answer is no class.
 * @param {Index} index
 * @param {State} state
 */
export function aboutClass(index, { at, label, shares }) {
  return label < index.content.classes.length ? label : firstHighest(shares ?? nodeShares(index, at));
}

/**
 * By the last model: before any answer, and after each in turn.
 * @param {Index} index
 * @param {number} model
 * @param {Step[]} steps
 */
function sharesByModel(index, model, steps) {
  const { intercept } = /** @type {Models} */ (index.tree.models).models[model];
  const sums = [intercept];
  for (const { at, answer } of steps) {
    const added = contributions(index, model, innerNode(index, at).test, answer);
    sums.push(sums[sums.length - 1].map((sum, label) => sum + added[label]));
  }
  return sums.map(softmax);
}

/**
 * By the nodes on the path: the root, and where each answer led, free branches included.
 * @param {Index} index
 * @param {State} state
 */
function sharesOnPath(index, state) {
  const ends = [0];
  state.steps.forEach((step, place) => {
    const after = state.steps[place + 1]?.at ?? state.at;
    if (step.again) ends[ends.length - 1] = after;
    else ends.push(after);
  });
  return ends.map((at) => nodeShares(index, at));
}

/**
 * "140 (127 to 150)", "not available, taken as 127 to 150".
 * @param {Index} index
 * @param {Step} step
 */
export function answerWords(index, { at, answer, assumed }) {
  if (answer.unavailable) return assumed === null ? say("moves.unavailable") : say("moves.assumed", { outcomes: assumed });
  const { outcome, said } = answer;
  const name = outcome === null ? said : testAt(index, at).outcomes[outcome];
  return name === said ? said : say("moves.range", { given: said, range: name });
}

/** @type {(part: Pick<Part, "before" | "after">) => string} */
export function movedWords({ before, after }) {
  const points = 100 * (after - before);
  if (Math.abs(points) < SMALLEST) return say("moves.no_change");
  return say("moves.points", { points: `${points < 0 ? "\u2212" : "+"}${numeral(Math.abs(points).toFixed(1))}` });
}

/**
 * The list under a diagnosis: the largest move first.
 * @param {Index} index
 * @param {State} state
 */
export function explanationParts(index, state) {
  const { byModel, start, parts } = explain(index, state);
  if (!parts.length) return [];
  const name = index.content.classes[aboutClass(index, state)];
  const opening = say(byModel ? "moves.start_model" : "moves.start", { share: percent(start, 1) });
  /** @type {(part: Part) => number} */
  const size = ({ before, after }) => Math.abs(after - before);
  const sorted = [...parts].sort((one, other) => size(other) - size(one));
  const lines = sorted.slice(0, MOST_PARTS).map((part) => {
    const test = testAt(index, part.step.at).name;
    const { said, unavailable } = part.step.answer; // what it counts as stands among the answers
    const words = unavailable ? ` ${answerWords(index, part.step)}` : ` = ${said}`;
    const answer = element("span", {}, element("b", {}, test), words);
    return element("li", {}, answer, element("span", { class: "figures" }, movedWords(part)));
  });
  const rest = sorted.length - lines.length;
  if (rest > 0) lines.push(element("li", { class: "quiet" }, say("moves.more", { count: rest })));
  return [
    element("h4", {}, say("moves.heading", { class: name })),
    element("p", { class: "quiet" }, opening),
    element("ul", { class: "moves", id: "moves" }, ...lines),
  ];
}
