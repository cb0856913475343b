// What the tree's nodes say of prices and cases.

import { className, element, largest, percent, total } from "./dom.js";
import { bestAnswer } from "./losses.js";
import { amount, clean, listed, ofEach, say } from "./words.js";

/** @import { Answer, Buy, ByResult, Child, Content, Group, Index, Leaf, Step, Test, Tree, TreeNode, Worst } from "./types.d.ts" */

const MOST_ANSWERS = 3; // that are listed for a model
const NONE = /** @type {Set<number>} */ (new Set());

/** @type {(node: TreeNode) => node is Leaf} */
export const isLeaf = (node) => node.kind === "leaf";

/** The node of a test that is to be done. @type {(index: Index, at: number) => Buy} */
export const buyAt = (index, at) => /** @type {Buy} */ (index.nodes[at]);

/** @type {(index: Index, at: number) => Test} */
export const testAt = (index, at) => index.content.tests[/** @type {Buy | ByResult} */ (index.nodes[at]).test];

/** @param {Content} content @param {Tree} tree @returns {Index} */
export function indexTree(content, tree) {
  const groups = tree.outline;
  /** @type {Index} */
  const index = { content, tree, nodes: tree.nodes, groups, above: [-1], depth: [0], further: [] };
  groups.forEach((group, number) => {
    for (const branch of group.branches ?? []) {
      index.above[branch.below] = number;
      index.depth[branch.below] = index.depth[number] + 1;
    }
  });
  // The same with the amounts of another resource in their places.
  index.further = (tree.further ?? []).map(({ nodes }, at) => {
    const shared = content.shared.map((part, place) => ({ ...part, amount: content.further?.[at].shared[place] ?? 0 }));
    return { ...index, content: { ...content, shared }, nodes: tree.nodes.map((node, place) => ({ ...node, ...nodes[place] })) };
  });
  return index;
}

/**
 * What a purchase pays for others too, as places in Content.shared.
 * @param {Buy} node
 * @param {Set<number>} missing the tests above that could not be done
 */
export const dueAt = ({ due, late }, missing) => [
  ...due,
  ...late.filter(({ unless }) => unless.every((test) => missing.has(test))).map(({ shared }) => shared),
];

/** What tests above would have paid. @param {Index} index @param {Buy} node @param {Set<number>} missing */
const lateAmount = (index, node, missing) =>
  dueAt(node, missing).slice(node.due.length).reduce((sum, place) => sum + index.content.shared[place].amount, 0);

/**
 * What a purchase costs with this outcome; null is one that is not listed.
 * @param {Index} index
 * @param {Buy} node
 * @param {number | null} outcome
 * @param {Set<number>} missing
 */
export const chargeOf = (index, node, outcome, missing = NONE) =>
  clean(node.charge[outcome ?? node.charge.length - 1] + lateAmount(index, node, missing));

/**
 * "costs 17.61 (with 2.1 for blood draw)", as the tree and the consultation both say it.
 * @param {Index} index
 * @param {number[]} bought the purchases; none where the tests were bought before
 * @param {Set<number>} missing
 */
export function priceWords(index, bought, missing = NONE) {
  if (!bought.length) return say("price.paid");
  /** @type {(pick: (...charges: number[]) => number) => string} */
  const all = (pick) =>
    ofEach(index, (of) => {
      const charges = bought.map((at) => pick(...buyAt(of, at).charge) + lateAmount(of, buyAt(of, at), missing));
      return charges.reduce((sum, charge) => sum + charge, 0);
    });
  const [low, high] = [all(Math.min), all(Math.max)];
  const price = low === high ? low : say("number.span", { low, high });
  const parts = bought.flatMap((at) => dueAt(buyAt(index, at), missing)).filter((place) => isFee(index, place));
  const shared = parts.map((place) => say("price.shared", { amount: ofEach(index, (of) => of.content.shared[place].amount), name: index.content.shared[place].name }));
  return shared.length ? say("price.costs_with", { price, shared: shared.join(say("list.comma")) }) : say("price.costs", { price });
}

/** Whether a shared amount is a fee; else it is the price of a panel. @param {Index} index @param {number} place */
export const isFee = (index, place) => !index.content.shared[place].panel;

/** A test, and the panel that it is ordered in. @param {Test} test */
export const orderedName = ({ name, panel }) => (panel ? `${name} (${panel})` : name);

/** The tests of purchases in order, a panel by its name and its tests. @param {Index} index @param {number[]} bought */
export function purchaseWords(index, bought) {
  const tests = bought.map((at) => testAt(index, at));
  return tests
    .filter(({ panel }, at) => !panel || tests.findIndex((test) => test.panel === panel) === at)
    .map(({ name, panel }) => (panel ? `${panel} (${tests.filter((test) => test.panel === panel).map((test) => test.name).join(say("list.comma"))})` : name))
    .join(say("list.comma"));
}

/**
 * What a test without a result that is charged takes at most, where its branch is that of these results.
 * @param {Index} index
 * @param {Step} step
 * @param {number[]} results
 */
export function paidFor(index, { at, answer, price, full = price }, results) {
  const { charge } = buyAt(index, at);
  return answer.charged && results.length ? full - charge[charge.length - 1] + Math.max(...results.map((result) => charge[result])) : price;
}

/**
 * Whether all was done that a purchase must come after; ahead of a case, what has no answer yet may still show it.
 * @type {(index: Index, at: number, known: Map<number, Step>, missing: Set<number>, isAhead?: boolean) => boolean}
 */
export const isAllowed = (index, at, known, missing, isAhead = false) =>
  (testAt(index, at).after ?? []).every((setters) =>
    setters.some(([test, outcomes]) => {
      const answer = known.get(test)?.answer;
      if (!answer) return isAhead;
      return !missing.has(test) && (outcomes === null || (answer.outcome !== null && outcomes.includes(answer.outcome)));
    }),
  );

/**
 * The most that a case can still cost: over all results that go together with what is known of it. What tests that could
 * not be done would have paid may fall due; before a test that it may not have, a case ends.
 * @param {Index} index
 * @param {number} start
 * @param {Map<number, Step>} known by test
 * @param {Set<number>} missing
 */
export function mostAhead(index, start, known, missing) {
  let most = 0;
  /** @type {{ at: number, spent: number, open: Map<number, number[]> }[]} */
  const stack = [{ at: start, spent: 0, open: new Map() }]; // open: by test, what each result costs that is still possible
  for (let place = stack.pop(); place; place = stack.pop()) {
    const { at, spent, open } = place;
    const node = index.nodes[at];
    if (node.kind === "leaf" || (node.kind === "buy" && !isAllowed(index, at, known, missing, true))) {
      most = Math.max(most, spent);
    } else if (node.kind === "buy") {
      if (known.has(node.test)) {
        stack.push({ at: node.child, spent, open }); // answered before its turn, and paid
        continue;
      }
      const charges = node.charge.map((charge) => charge + lateAmount(index, node, missing));
      stack.push({ at: node.child, spent: spent + Math.max(...charges), open: new Map(open).set(node.test, charges) });
    } else if (node.kind === "by_total") {
      for (const child of new Set(node.children)) stack.push({ at: child, spent, open });
    } else {
      const step = known.get(node.test);
      if (step) {
        // What is charged without a result may fall to what this branch takes.
        const [before] = open.get(node.test) ?? [step.price];
        const now = step.answer.unavailable ? paidFor(index, step, node.usual.results) : before;
        stack.push({ at: childOf(node, step.answer), spent: spent + now - before, open: new Map(open).set(node.test, [now]) });
        continue;
      }
      const before = open.get(node.test) ?? [];
      for (const child of new Set(node.children)) {
        const charges = before.map((charge, result) => (node.children[result] === child ? charge : -Infinity));
        const highest = Math.max(...charges);
        if (highest < 0) continue;
        stack.push({ at: child, spent: spent - Math.max(...before) + highest, open: new Map(open).set(node.test, charges) });
      }
    }
  }
  return most;
}

/** Where an answer leads; without one, where most known cases went. @type {(node: ByResult, answer: Answer) => number} */
export const childOf = ({ children, usual }, { unavailable, outcome }) =>
  unavailable ? usual.child : children[outcome ?? children.length - 1];

/**
 * The tests that a stage buys, or the one that it asks for; and what it branches by then, where that is something else.
 * @param {Index} index
 * @param {Group} group not of leaves
 * @returns {{ asked: string, by: string }}
 */
export function stageWords(index, { buys = [], end = 0 }) {
  const node = index.nodes[end];
  const asked = purchaseWords(index, buys);
  const by = subjectWords(index, node);
  return asked && asked !== by ? { asked, by } : { asked: by, by: "" };
}

/** What a stage branches by, in a line: of points their total. @param {Index} index @param {Group} group @param {number} place */
export const byWords = (index, group, place) =>
  group.points ? say(group.continues ? "tree.total_so_far" : place ? "tree.total_of_stage" : "tree.total") : stageWords(index, group).by;

/**
 * What a node branches by: a test by its name, or points or a model by theirs; nothing for a leaf.
 * @param {Index} index
 * @param {TreeNode} node
 */
export function subjectWords(index, node) {
  if (node.kind === "leaf") return "";
  if (node.kind !== "by_total") return index.content.tests[node.test].name;
  const kind = node.at ? "detail.chance" : node.confidence === undefined ? "detail.points" : "detail.model";
  return say(kind, { tests: testWords(index, node.totals), class: index.content.classes[index.tree.target] });
}

/**
 * What a leaf answers: one thing, or by totals which get which, or by a model how often each answer was given.
 * @param {Index} index
 * @param {Leaf} node
 * @returns {{ label: number, when: string }[]}
 */
export function answersOf({ content }, node) {
  const fixed = fixedAnswer(node);
  if (fixed !== null) return [{ label: fixed, when: "" }];
  if (node.cuts && node.chances) {
    const labels = node.chances.map((chances) => bestAnswer(content, chances));
    const starts = [...labels.keys()].filter((side) => !side || labels[side] !== labels[side - 1]);
    const cuts = node.cuts;
    return starts.map((side, place) => ({
      label: labels[side],
      when: totalRange(side ? cuts[side - 1] : null, place + 1 < starts.length ? cuts[starts[place + 1] - 1] - 1 : null),
    }));
  }
  const given = node.given ?? [];
  const all = total(given);
  const { places, more } = largest(given, MOST_ANSWERS);
  const sorted = [...places].sort((one, other) => given[other] - given[one]);
  const found = sorted.map((label) => ({ label, when: percent(given[label], all) }));
  return more ? [...found, { label: -1, when: say("bars.more", { count: more }) }] : found;
}

/**
 * What a leaf answers; by points or a model, which answers it gives.
 * @param {Index} index
 * @param {Leaf} node
 * @param {number | null} fixed the answer, where it is known otherwise
 * @returns {Child[]}
 */
export function leafWords(index, node, fixed = null) {
  if (fixed !== null) return [className(index.content, fixed)];
  const answers = answersOf(index, node);
  const parts = answers.map(({ label, when }, place) =>
    element("span", { class: "answer" }, when, when && label >= 0 ? " " : "", label < 0 ? null : className(index.content, label), place + 1 < answers.length ? say("list.comma") : ""),
  );
  const rule = fixedAnswer(node) === null ? ruleOf(node) : null;
  return rule ? [say(`tree.by_${rule}`), answers.length ? ": " : "", ...parts] : parts;
}

/** What everyone gets at a leaf; null where totals decide. @param {Leaf} node */
export const fixedAnswer = (node) => node.answer ?? (node.totals === undefined ? node.label : null);

/** @param {number | null} low @param {number | null} high */
export function totalRange(low, high) {
  if (low === null) return high === null ? say("range.any") : say("range.fewer", { points: say("range.points", { count: high }) });
  if (high === null) return say("range.from", { low: say("range.points", { count: low }) });
  return low === high ? say("range.points", { count: low }) : say("range.between", { low: amount(low), high: say("range.points", { count: high }) });
}

/** The tests that points or a model add up. @param {Index} index @param {number} totals */
export const testWords = (index, totals) =>
  listed(index.tree.totals[totals].tests.map((test) => index.content.tests[test].name)) || say("detail.no_test");

/**
 * A number's outcome: how many thresholds it has reached. A null threshold is one that no number reaches.
 * @type {(thresholds: (number | null)[], value: number) => number}
 */
export const levelOf = (thresholds, value) =>
  thresholds.filter((threshold) => threshold !== null && threshold <= value).length;

/** The cases of each class in a group. @param {Index} index @param {Group} group */
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
 * How likely each class is at a node, as far as the node alone can say: one that no known case comes to has the shares
 * of a node above.
 * @type {(index: Index, at: number) => number[]}
 */
export function nodeShares(index, at) {
  const node = index.nodes[at];
  if (isLeaf(node) && node.probabilities) return node.probabilities;
  const { counts } = index.nodes[node.voters ?? at];
  const all = total(counts);
  return counts.map((count) => (all ? count / all : 1 / counts.length));
}

/** What a leaf answers by: "points" or "model"; null where no totals decide. @param {TreeNode} node */
export function ruleOf(node) {
  if (!isLeaf(node) || node.totals === undefined) return null;
  return node.cuts ? "points" : "model";
}
