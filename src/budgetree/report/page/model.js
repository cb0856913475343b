// @ts-check
// What the tree's nodes do not say by themselves: the path to each, fees due, and the worst case from there.

import { span, total } from "./dom.js";
import { clean, inUnit, say } from "./words.js";

/**
 * @typedef {import("./types.d.ts").Content} Content
 * @typedef {import("./types.d.ts").Group} Group
 * @typedef {import("./types.d.ts").Index} Index
 * @typedef {import("./types.d.ts").Inner} Inner
 * @typedef {import("./types.d.ts").Leaf} Leaf
 * @typedef {import("./types.d.ts").Tree} Tree
 * @typedef {import("./types.d.ts").TreeNode} TreeNode
 * @typedef {import("./types.d.ts").Worst} Worst
 */

/** @type {(node: TreeNode) => node is Leaf} */
export const isLeaf = (node) => node.test === undefined;

/**
 * The node of a test that is to be done.
 * @type {(index: Index, at: number) => Inner}
 */
export const innerNode = (index, at) => /** @type {Inner} */ (index.nodes[at]);

/** @type {(index: Index, at: number) => import("./types.d.ts").Test} */
export const testAt = (index, at) => index.content.tests[innerNode(index, at).test];

/**
 * @param {Content} content
 * @param {Tree} tree
 * @returns {Index}
 */
export function indexTree(content, tree) {
  const nodes = tree.nodes;
  const groups = tree.outline;
  /** @type {Index} */
  const index = { content, tree, nodes, groups, parent: [-1], above: [-1], depth: [0], due: [], repeated: [], remaining: [] };
  addPaid(index);
  groups.forEach((group, number) => {
    for (const branch of group.branches ?? []) {
      index.above[branch.below] = number;
      index.depth[branch.below] = index.depth[number] + 1;
    }
  });
  // Children have larger numbers than their parents.
  for (let at = nodes.length - 1; at >= 0; at--) index.remaining[at] = nodes[at].remaining ?? worstFrom(index, at);
  return index;
}

/**
 * The parent of each node, the fees that are due there, and whether its test was done above. A walk down each path,
 * which knows how often it has met each test and fee; ~at is the way back up.
 * @param {Index} index
 */
function addPaid(index) {
  const { tests } = index.content;
  const tested = tests.map(() => 0);
  const paid = index.content.fees.map(() => 0);
  const pending = [0];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    const node = index.nodes[at < 0 ? ~at : at];
    if (isLeaf(node)) continue;
    const { fees } = tests[node.test];
    if (at >= 0) {
      index.due[at] = fees.filter((fee) => !paid[fee]);
      index.repeated[at] = tested[node.test] > 0;
      pending.push(~at);
      for (const child of new Set([...node.branches, node.otherwise ?? null])) {
        if (child === null) continue;
        index.parent[child] = at;
        pending.push(child);
      }
    }
    const by = at < 0 ? -1 : 1;
    tested[node.test] += by;
    for (const fee of fees) paid[fee] += by;
  }
}

/**
 * The most that a case can still cost, whatever the outcomes: also those that no known case showed.
 * @param {Index} index
 * @param {number} at
 */
function worstFrom(index, at) {
  const node = index.nodes[at];
  if (isLeaf(node)) return 0;
  const costs = node.branches.map(
    (child, outcome) => priceOf(index, at, outcome) + (child === null ? 0 : index.remaining[child]),
  );
  return clean(Math.max(...costs));
}

/**
 * What the test at a node costs with this outcome; an outcome in no price list (null) costs as much as the costliest.
 * @param {Index} index
 * @param {number} at
 * @param {number | null} outcome
 * @param {number[]} due the fees that are not paid yet; more than the node's where a test above was not available
 */
export function priceOf(index, at, outcome, due = index.due[at]) {
  if (index.repeated[at]) return 0;
  const { prices } = testAt(index, at);
  return clean((outcome === null ? Math.max(...prices) : prices[outcome]) + feesOf(index, due));
}

/** @type {(index: Index, fees: number[]) => number} */
export const feesOf = (index, fees) => fees.reduce((sum, fee) => sum + index.content.fees[fee].amount, 0);

/**
 * "costs 17.61 (with 2.1 for blood draw)", as the tree and the consultation both say it.
 * @param {Index} index
 * @param {number} at
 * @param {number[]} due
 */
export function priceWords(index, at, due = index.due[at]) {
  if (index.repeated[at]) return say("price.paid");
  const [low, high] = innerNode(index, at).price;
  const more = feesOf(index, due) - feesOf(index, index.due[at]);
  const fees = due.map((fee) => index.content.fees[fee]);
  const shared = fees.map((fee) => say("price.fee", { amount: inUnit(fee.amount), fee: fee.name })).join(say("list.and"));
  const price = span(low + more, high + more);
  return shared ? say("price.costs_with", { price, fees: shared }) : say("price.costs", { price });
}

/**
 * Whether a node of a tree for new cases only buys its test; what it shows tells cases apart further down.
 * @type {(index: Index, at: number) => boolean}
 */
export const isPurchase = (index, at) => {
  const { otherwise } = index.nodes[at];
  if (otherwise === undefined || index.repeated[at]) return false;
  return innerNode(index, at).branches.every((child) => child === otherwise);
};

/**
 * A number's outcome: how many thresholds it has reached. A null threshold is one that no number reaches.
 * @type {(thresholds: (number | null)[], value: number) => number}
 */
export const levelOf = (thresholds, value) =>
  thresholds.filter((threshold) => threshold !== null && threshold <= value).length;

/**
 * The cases of each class in a group.
 * @param {Index} index
 * @param {Group} group
 */
export function countsIn(index, group) {
  return index.content.classes.map((_, label) =>
    clean(group.nodes.reduce((sum, at) => sum + index.nodes[at].counts[label], 0)),
  );
}

/**
 * The groups from the root to one of the costliest leaves (the one with the most cases), and how many leaves tie.
 * @param {Index} index
 * @returns {Worst}
 */
export function worstPath(index) {
  const spent = index.groups.map((group) => index.nodes[group.nodes[0]].spent);
  const leaves = [...index.groups.keys()].filter((number) => !index.groups[number].branches);
  const cost = leaves.reduce((most, number) => Math.max(most, spent[number]), 0);
  const tied = leaves.filter((number) => spent[number] === cost);
  const sizes = tied.map((number) => clean(index.groups[number].nodes.reduce((sum, at) => sum + total(index.nodes[at].counts), 0)));
  let number = tied[sizes.indexOf(sizes.reduce((most, size) => Math.max(most, size), 0))];
  const groups = new Set();
  for (; number >= 0; number = index.above[number]) groups.add(number);
  return { groups, cost, ties: tied.length };
}

/**
 * How likely each class is at a node, as far as the node alone can say: one that no known case comes to has its
 * parent's shares.
 * @type {(index: Index, at: number) => number[]}
 */
export function nodeShares(index, at) {
  for (let up = at; up >= 0; up = index.parent[up]) {
    const { counts, probabilities } = index.nodes[up];
    if (probabilities) return probabilities;
    const all = total(counts);
    if (all) return counts.map((count) => count / all);
  }
  const { classes } = index.content;
  return classes.map(() => 1 / classes.length);
}

/**
 * The tests whose model answers at a node.
 * @param {Index} index
 * @param {number} at
 */
export function modelTests(index, at) {
  const number = index.nodes[at].model;
  const models = index.tree.models;
  if (number === undefined || !models) return null;
  return models.models[number].tests.map((test) => index.content.tests[test].name);
}
