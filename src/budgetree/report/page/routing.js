// @ts-check
// Where answers lead, what they cost, and how likely each class is then: as tree/consultation.py does it.

import { bestAnswer } from "./losses.js";
import { feesOf, isLeaf, priceOf } from "./model.js";
import { clean } from "./words.js";

/**
 * @typedef {import("./types.d.ts").Answer} Answer
 * @typedef {import("./types.d.ts").Index} Index
 * @typedef {import("./types.d.ts").Models} Models
 * @typedef {import("./types.d.ts").State} State
 * @typedef {import("./types.d.ts").Step} Step
 */

/**
 * What an answer adds to the score of each class; nothing where it is not known, which counts as the average case.
 * @param {Index} index
 * @param {number} number of the model
 * @param {number} test
 * @param {Answer | undefined} answer
 */
export function contributions(index, number, test, answer) {
  const { models, columns } = /** @type {Models} */ (index.tree.models);
  const { tests, intercept, coefficients } = models[number];
  const outcome = answer?.outcome ?? null;
  const values = outcome === null ? [] : (columns.find((entry) => entry.test === test)?.outcomes[outcome] ?? []);
  const ofTest = coefficients[tests.indexOf(test)];
  return intercept.map((_, label) => values.reduce((sum, value, column) => sum + value * ofTest[column][label], 0));
}

/**
 * Scores as probabilities.
 * @param {number[]} scores
 */
export function softmax(scores) {
  const top = Math.max(...scores);
  const raised = scores.map((score) => Math.exp(score - top));
  const sum = raised.reduce((all, value) => all + value, 0);
  return raised.map((value) => value / sum);
}

/**
 * The probability of each class at a node of a tree for new cases: by the model of what is paid, or fixed.
 * @param {Index} index
 * @param {number} at
 * @param {Map<number, Answer>} known
 * @returns {number[] | null}
 */
export function sharesAt(index, at, known) {
  const { model, probabilities } = index.nodes[at];
  if (model === undefined || !index.tree.models) return probabilities ?? null;
  const { tests, intercept } = index.tree.models.models[model];
  const scores = [...intercept];
  for (const test of tests) {
    contributions(index, model, test, known.get(test)).forEach((added, label) => (scores[label] += added));
  }
  return softmax(scores);
}

/**
 * Where answers lead, one per test, and what each step cost. A test met again has its answer already; one that is not
 * available is not paid, and the case goes on with most known cases.
 * @param {Index} index
 * @param {Answer[]} answers
 * @returns {State}
 */
export function follow(index, answers) {
  const { tests } = index.content;
  /** @type {Map<number, Answer>} */
  const known = new Map();
  /** @type {Step[]} */
  const steps = [];
  const feesPaid = new Set();
  const sure = index.tree.models?.sure ?? null;
  let at = 0;
  let next = 0;
  let spent = 0;
  for (;;) {
    const node = index.nodes[at];
    const shares = sharesAt(index, at, known);
    const label = shares ? bestAnswer(index.content, shares) : node.label;
    /** @type {State} */
    const state = { at, steps, spent: clean(spent), left: 0, due: [], stopped: false, open: false, sure: false, label, shares };
    if (isLeaf(node)) return state;
    if (node.stops && shares && sure !== null && Math.max(...shares) >= sure) return { ...state, sure: true };
    const due = tests[node.test].fees.filter((fee) => !feesPaid.has(fee));
    const before = known.get(node.test);
    if (!before && next === answers.length) {
      // Fees of tests that were not available: another test may still have to pay them.
      const putOff = new Set([...known.keys()].flatMap((test) => tests[test].fees).filter((fee) => !feesPaid.has(fee)));
      return { ...state, open: true, due, left: clean(index.remaining[at] + feesOf(index, [...putOff])) };
    }
    const answer = before ?? answers[next++];
    const isPaid = !before && !answer.unavailable;
    const price = isPaid ? priceOf(index, at, answer.outcome, due) : 0;
    const child = answer.unavailable
      ? node.usual.child
      : ((answer.outcome === null ? null : node.branches[answer.outcome]) ?? node.otherwise ?? null);
    const assumed = answer.unavailable ? node.usual.outcomes : null;
    known.set(node.test, answer);
    if (isPaid) due.forEach((fee) => feesPaid.add(fee));
    spent += price;
    if (before && assumed !== null) steps.filter((step) => step.answer === answer).forEach((step) => (step.assumed = assumed));
    steps.push({ at, answer, price, again: before !== undefined, assumed });
    if (child === null) return { ...state, spent: clean(spent), stopped: true };
    at = child;
  }
}
