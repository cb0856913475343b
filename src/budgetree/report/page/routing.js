// Where answers lead, what they cost, and how likely each class is then: as tree/consultation.py does it.

import { total } from "./dom.js";
import { bestAnswer, firstHighest } from "./losses.js";
import { chargeOf, childOf, isAllowed, isLeaf, mostAhead, nodeShares, paidFor, ruleOf } from "./model.js";
import { clean, say } from "./words.js";

/** @import { Answer, Buy, ByTotal, Index, Leaf, SmallTrees, State, Step, TreeNode } from "./types.d.ts" */

// Of a score.
const UNIT = 1e-6;
// A number added to it is rounded to a whole one.
const ROUNDING = 1.5 * 2 ** 52;
const FACTORIALS = [1];
for (let n = 1; n < 14; n++) FACTORIALS.push(FACTORIALS[n - 1] * n);

/**
 * What an answer adds to each total; what is not listed or not available has points of its own.
 * @param {Index} index
 * @param {number} number of the totals
 * @param {number} test
 * @param {Answer} answer
 */
export function pointsOf(index, number, test, answer) {
  const { tests, points, intercept } = index.tree.totals[number];
  const table = points[tests.indexOf(test)];
  return table ? table[answer.outcome ?? table.length - 1] : intercept.map(() => 0);
}

/** @param {Index} index @param {number} number of the totals @param {Map<number, Step>} known by test */
export function addUp(index, number, known) {
  const { intercept, trees } = index.tree.totals[number];
  const sums = [...intercept];
  const add = (/** @type {number[]} */ points) => points.forEach((more, at) => (sums[at] += more));
  for (const [test, { answer }] of known) add(pointsOf(index, number, test, answer));
  for (const start of trees?.starts ?? []) add(endOf(/** @type {SmallTrees} */ (trees), start, known));
  return sums;
}

/**
 * What the end of a case in a small tree adds; a result that is not listed or not available goes the default way.
 * @param {SmallTrees} trees
 * @param {number} at its first node
 * @param {Map<number, Step>} known by test
 */
function endOf({ nodes, values }, at, known) {
  for (;;) {
    const node = nodes[at];
    if (typeof node === "number") return values[node];
    const [test, cut, byEqual, defaultLeft, missing, right] = node;
    const code = known.get(test)?.answer.outcome ?? null;
    const isListed = code !== null && code !== missing;
    const isLeft = isListed ? (byEqual ? code === cut : code <= cut) : defaultLeft;
    at = isLeft ? at + 1 : right;
  }
}

/** A score per class; where there is one for two classes, that of the first is 0. @type {(totals: number[]) => number[]} */
const scoresOf = (totals) => (totals.length > 1 ? totals : [0, totals[0]]);

/**
 * Scores in millionths as probabilities: e to the power of each, by the steps that core/base/elementary.hpp takes, so
 * that the page stops where Python does.
 * @param {number[]} totals
 */
export function softmax(totals) {
  const scores = scoresOf(totals);
  const top = Math.max(...scores);
  const raised = scores.map((score) => exponential((score - top) * UNIT));
  const sum = raised.reduce((all, value) => all + value, 0);
  return raised.map((value) => value / sum);
}

/** @param {number} x at most 0 */
function exponential(x) {
  if (x < -700) return 0;
  const halvings = x * 1.4426950408889634 + ROUNDING - ROUNDING;
  // ln 2 in two parts
  const rest = x - halvings * 0.6931471803691238 - halvings * 1.9082149292705877e-10;
  return FACTORIALS.reduceRight((sum, factorial) => sum * rest + 1 / factorial, 0) * 2 ** halvings;
}

/** @type {(cuts: number[], sum: number) => number} */
const sideOf = (cuts, sum) => cuts.filter((cut) => cut <= sum).length;

/** The probability of each class by totals: those of a side, or of scores. @param {TreeNode} node @param {number[]} totals */
export function sharesOf(node, totals) {
  return node.kind === "leaf" && node.cuts && node.chances ? node.chances[sideOf(node.cuts, totals[0])] : softmax(totals);
}

/**
 * Where answers lead, one per purchase, and what each step cost. The tests of a stage are answered in any order: an
 * answer is for its test, or else for the next one. A test that is not available is not paid, unless it is charged; the
 * case goes on with most known cases, and every leaf that it could lead to stays possible.
 * @param {Index} index
 * @param {Answer[]} answers
 * @returns {State}
 */
export function follow(index, answers) {
  /** @type {Map<number, Step>} */
  const known = new Map();
  /** @type {Set<number>} */
  const missing = new Set();
  /** @type {Step | null} */
  let unseen = null;
  /** @type {number | null} the totals of the model that did not stop since the last purchase */
  let unsure = null;
  let sure = false;
  let spent = 0;
  const pending = [...answers];
  /** @type {(at: number) => boolean} whether a purchase has its answer */
  const pay = (at) => {
    const node = /** @type {Buy} */ (index.nodes[at]);
    const own = pending.findIndex(({ test }) => test === node.test);
    const place = own < 0 ? pending.findIndex(({ test }) => test === undefined) : own;
    if (place < 0) return false;
    const [answer] = pending.splice(place, 1);
    const isFree = answer.unavailable && !answer.charged;
    const price = isFree ? 0 : chargeOf(index, node, answer.outcome, missing);
    if (isFree) missing.add(node.test);
    known.set(node.test, { at, answer, price, full: price, assumed: null });
    spent += price;
    return true;
  };
  for (let at = 0; ; ) {
    const node = index.nodes[at];
    if (node.kind === "by_result") {
      const step = /** @type {Step} */ (known.get(node.test));
      const child = childOf(node, step.answer);
      if (step.answer.unavailable) {
        if (node.usual.decides) step.assumed = node.usual.words ?? "";
        const price = paidFor(index, step, node.usual.results);
        [step.price, spent] = [clean(price), spent + price - step.price];
      }
      if (total(node.counts) && !total(index.nodes[child].counts)) unseen = step;
      at = child;
    } else if (node.kind === "by_total") {
      average(index, node, node.totals, known);
      const side = sideAt(node, addUp(index, node.totals, known));
      const mayStop = node.at !== undefined && node.children.some((child) => !isLeaf(index.nodes[child]));
      sure = node.confidence === undefined ? mayStop : side === 0;
      at = node.children[side];
      if (node.at || node.confidence !== undefined) unsure = node.totals;
    } else if (node.kind === "buy" && isAllowed(index, at, known, missing) && pay(at)) {
      [unsure, sure] = [null, false];
      at = node.child;
    } else {
      const refused = node.kind === "buy" && !isAllowed(index, at, known, missing);
      const waiting = refused ? [] : stageFrom(index, at).filter((buy) => buy === at || (isAllowed(index, buy, known, missing) && !pay(buy)));
      if (node.kind === "leaf" && node.totals !== undefined && node.cuts) average(index, node, node.totals, known);
      const found = { at, waiting, steps: [...known.values()], spent: clean(spent), missing, unseen, sure, refused };
      return { ...rest(index, found, unsure, known), further: index.further.map((of) => follow({ ...of, further: [] }, answers)) };
    }
  }
}

/** The purchases from here on that come one after the other. @param {Index} index @param {number} at */
export function stageFrom(index, at) {
  const buys = [];
  for (let node = index.nodes[at]; node.kind === "buy"; at = node.child, node = index.nodes[at]) buys.push(at);
  return buys;
}

/**
 * The points so far of what is added up at the end of a stage; null where it is something else.
 * @param {Index} index
 * @param {State} state
 */
export function runningPoints(index, { at, steps }) {
  const last = stageFrom(index, at).at(-1);
  const node = index.nodes[last === undefined ? at : /** @type {Buy} */ (index.nodes[last]).child];
  const isPoints = node.kind === "leaf" ? node.cuts !== undefined : node.kind === "by_total" && !node.at && node.confidence === undefined;
  if (!isPoints || node.kind === "by_result" || node.kind === "buy" || node.totals === undefined) return null;
  return addUp(index, node.totals, new Map(steps.map((step) => [/** @type {Buy} */ (index.nodes[step.at]).test, step])))[0];
}

/**
 * By class, the known cases of every leaf that agrees with the answers; a test without a result, or to come, may show
 * anything.
 * @param {Index} index
 * @param {Map<number, Step>} known by test
 */
function possibleCases(index, known) {
  const cases = index.content.classes.map(() => 0);
  const isKnown = (/** @type {number} */ number) => index.tree.totals[number].tests.every((test) => known.has(test));
  const stack = [0];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const node = index.nodes[at];
    if (node.kind === "leaf") {
      const byRule = node.totals !== undefined && isKnown(node.totals);
      const shares = byRule ? meanShares(index, node, node.totals ?? 0, known) : (node.probabilities ?? null);
      const all = total(node.counts);
      cases.forEach((_, label) => (cases[label] += shares ? all * shares[label] : node.counts[label]));
    } else if (node.kind === "buy") {
      stack.push(node.child);
    } else if (node.kind === "by_result") {
      const step = known.get(node.test);
      stack.push(...(step && !step.answer.unavailable ? [childOf(node, step.answer)] : new Set(node.children)));
    } else {
      const isOpen = (/** @type {number} */ side) => !isKnown(node.totals) || possibleSides(index, node, node.totals, known).includes(side);
      stack.push(...new Set(node.children.filter((_, side) => isOpen(side))));
    }
  }
  return cases;
}

/** The tests without a result that totals read. @param {Index} index @param {number} number @param {Map<number, Step>} known */
const hiddenFrom = (index, number, known) => index.tree.totals[number].tests.filter((test) => known.get(test)?.answer.unavailable);

/**
 * The sides that a case may go to, whatever the tests without a result would have shown; a model takes the average for it.
 * @param {Index} index
 * @param {Pick<ByTotal, "cuts" | "confidence" | "at">} node
 * @param {number} number of the totals
 * @param {Map<number, Step>} known
 */
function possibleSides(index, node, number, known) {
  const hidden = hiddenFrom(index, number, known);
  const cuts = node.cuts ?? [];
  const all = [...cuts, 0].map((_, side) => side);
  const { tests, points, trees } = index.tree.totals[number];
  const sums = addUp(index, number, known);
  if (!hidden.length || node.confidence !== undefined || node.at) return [sideAt(node, sums)];
  if (trees) return all;
  const tables = hidden.map((test) => points[tests.indexOf(test)].map((row) => row[0]));
  const [first, last] = [Math.min, Math.max].map((end) =>
    sideOf(cuts, tables.reduce((sum, table) => sum + end(...table) - table[table.length - 1], sums[0])),
  );
  return all.slice(first, last + 1);
}

/**
 * Notes which tests without a result count as an average one where that decides.
 * @param {Index} index
 * @param {Pick<ByTotal, "cuts" | "confidence" | "at">} node
 * @param {number} number of the totals
 * @param {Map<number, Step>} known
 */
function average(index, node, number, known) {
  if (possibleSides(index, node, number, known).length === 1) return;
  for (const test of hiddenFrom(index, number, known)) {
    const step = /** @type {Step} */ (known.get(test));
    step.assumed ??= say("consult.average");
  }
}

/**
 * What totals say at a leaf: points for all sides that are possible.
 * @param {Index} index
 * @param {Leaf} node
 * @param {number} number of the totals
 * @param {Map<number, Step>} known
 */
function meanShares(index, node, number, known) {
  const { cuts, chances } = node;
  if (!cuts || !chances) return sharesOf(node, addUp(index, number, known));
  const sides = possibleSides(index, node, number, known);
  return index.content.classes.map((_, label) => sides.reduce((sum, side) => sum + chances[side][label], 0) / sides.length);
}

/** The side of a branch by points or a model. @param {Pick<ByTotal, "cuts" | "confidence" | "at">} node @param {number[]} totals */
const sideAt = ({ confidence, cuts }, totals) =>
  confidence === undefined ? sideOf(cuts ?? [], totals[0]) : Math.max(...softmax(totals)) >= confidence ? 0 : 1;

/**
 * What is known at a purchase that is to be done, or at a leaf.
 * @param {Index} index
 * @param {Pick<State, "at" | "waiting" | "steps" | "spent" | "missing" | "unseen" | "sure" | "refused">} state
 * @param {number | null} unsure
 * @param {Map<number, Step>} known
 * @returns {State}
 */
function rest(index, state, unsure, known) {
  const { content, nodes } = index;
  const node = nodes[state.at];
  const left = state.refused ? 0 : clean(mostAhead(index, state.at, known, state.missing));
  const found = { ...state, sure: state.sure && isLeaf(node), open: !isLeaf(node) && !state.refused, left, possible: null, further: [] };
  if (state.steps.some((step) => step.assumed !== null)) {
    const possible = possibleCases(index, known);
    const all = total(possible);
    const shares = all ? possible.map((count) => count / all) : nodeShares(index, state.at);
    return { ...found, sure: false, label: bestAnswer(content, shares), shares, possible };
  }
  const number = isLeaf(node) ? (node.totals ?? null) : unsure;
  if (number === null) return { ...found, label: node.label, shares: (isLeaf(node) && node.probabilities) || null };
  const totals = addUp(index, number, known);
  const shares = sharesOf(node, totals);
  const isPlain = ruleOf(node) !== "points" && (content.losses === null || content.losses.plain);
  return { ...found, label: isPlain ? firstHighest(scoresOf(totals)) : bestAnswer(content, shares), shares };
}
