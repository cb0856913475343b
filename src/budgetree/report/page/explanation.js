// What moved the answer: the probability of the diagnosis before and after each result, as tree/explanation.py does it.

import { element, percent } from "./dom.js";
import { firstHighest } from "./losses.js";
import { buyAt, nodeShares, ruleOf, testAt } from "./model.js";
import { addUp, follow, pointsOf, sharesOf } from "./routing.js";
import { numeral, say } from "./words.js";

/** @import { Explanation, Index, Leaf, Move, Part, State, Step } from "./types.d.ts" */

const SMALLEST = 0.05; // points that are shown
const MOST_PARTS = 8; // that are listed

/** @param {Index} index @param {State} state @returns {Explanation} */
export function explain(index, state) {
  const { steps } = state;
  const node = index.nodes[state.at];
  const by = state.possible ? "cases" : (ruleOf(node) ?? "cases");
  const shares = by === "cases" ? sharesOnPath(index, steps) : sharesByTotals(index, /** @type {Leaf} */ (node), steps);
  const about = aboutClass(index, state);
  const moves = shares.map((share) => share[about]);
  const parts = steps.map((step, place) => ({
    step,
    before: moves[place],
    after: moves[place + 1],
  }));
  const together = moves.length > steps.length + 1 ? { before: moves[steps.length], after: moves[steps.length + 1] } : null;
  return { by, start: moves[0], parts, together };
}

/**
 * The class whose probability is explained: the answer, or the likeliest where the answer is not a class.
 * @param {Index} index
 * @param {State} state
 */
export function aboutClass(index, { at, label, shares }) {
  return label < index.content.classes.length ? label : firstHighest(shares ?? nodeShares(index, at));
}

/** By the known cases: before any answer, and after each. @param {Index} index @param {Step[]} steps */
function sharesOnPath(index, steps) {
  const answers = steps.map((step) => step.answer);
  return [...steps, null].map((_, count) => {
    const { at, possible, shares } = follow(index, answers.slice(0, count));
    return (possible && shares) ?? nodeShares(index, at);
  });
}

/**
 * By the leaf's points or model: before any answer, after each in turn, and with small trees last, if it has some.
 * @param {Index} index
 * @param {Leaf} node
 * @param {Step[]} steps
 */
function sharesByTotals(index, node, steps) {
  const number = node.totals ?? 0;
  const sums = [index.tree.totals[number].intercept];
  for (const { at, answer } of steps) {
    const added = pointsOf(index, number, buyAt(index, at).test, answer);
    sums.push(sums[sums.length - 1].map((sum, place) => sum + added[place]));
  }
  if (index.tree.totals[number].trees) {
    sums.push(addUp(index, number, new Map(steps.map((step) => [buyAt(index, step.at).test, step]))));
  }
  return sums.map((totals) => sharesOf(node, totals));
}

/** "140 (127 to 150)", "not available, taken as 127 to 150". @param {Index} index @param {Step} step */
export function answerWords(index, { at, answer, assumed }) {
  if (answer.unavailable) return assumed === null ? say("moves.unavailable") : say("moves.assumed", { outcomes: assumed });
  const { outcome, said } = answer;
  const name = outcome === null ? said : testAt(index, at).outcomes[outcome];
  return name === said ? said : say("moves.range", { given: said, range: name });
}

/** @type {(part: Move) => string} */
export function movedWords({ before, after }) {
  const points = 100 * (after - before);
  if (Math.abs(points) < SMALLEST) return say("moves.no_change");
  return say("moves.points", { points: `${points < 0 ? "\u2212" : "+"}${numeral(Math.abs(points).toFixed(1))}` });
}

/** The list under a diagnosis: the largest move first. @param {Index} index @param {State} state */
export function explanationParts(index, state) {
  const { by, start, parts, together } = explain(index, state);
  if (!parts.length) return [];
  const name = index.content.classes[aboutClass(index, state)];
  const opening = say(by === "model" ? "moves.start_model" : "moves.start", { share: percent(start, 1) });
  /** @type {(part: Part) => number} */
  const size = ({ before, after }) => Math.abs(after - before);
  const sorted = [...parts].sort((one, other) => size(other) - size(one));
  const lines = sorted.slice(0, MOST_PARTS).map((part) => {
    const test = testAt(index, part.step.at).name;
    // What it counts as stands among the answers.
    const { said, unavailable } = part.step.answer;
    const words = unavailable ? ` ${answerWords(index, part.step)}` : ` = ${said}`;
    const answer = element("span", {}, element("b", {}, test), words);
    return element("li", {}, answer, element("span", { class: "figures" }, movedWords(part)));
  });
  const rest = sorted.length - lines.length;
  if (rest > 0) lines.push(element("li", { class: "quiet" }, say("moves.more", { count: rest })));
  if (together) {
    const words = element("span", {}, say("moves.together"));
    lines.push(element("li", {}, words, element("span", { class: "figures" }, movedWords(together))));
  }
  return [
    element("h4", {}, say("moves.heading", { class: name })),
    element("p", { class: "quiet" }, opening),
    element("ul", { class: "moves", id: "moves" }, ...lines),
  ];
}
