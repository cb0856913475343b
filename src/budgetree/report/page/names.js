// @ts-check
// Python's names of ranges ("127 to 150", "missing") in the language in use. Names that the user gave stay as they are.

import { say, sayAgain } from "./words.js";

/**
 * @typedef {import("./types.d.ts").Branch} Branch
 * @typedef {import("./types.d.ts").Content} Content
 * @typedef {import("./types.d.ts").Inner} Inner
 * @typedef {import("./types.d.ts").Test} Test
 * @typedef {import("./types.d.ts").Tree} Tree
 */

/** @type {(name: string) => string} */
const rangeName = (name) => sayAgain(name, "range.");

/**
 * @param {Content} content
 * @returns {Content}
 */
export function translateNames(content) {
  const tests = content.tests.map((test) => ({ ...test, outcomes: test.outcomes.map((name, outcome) => outcomeName(test, name, outcome)) }));
  return { ...content, tests, trees: content.trees.map((tree) => translateTree(content.tests, tests, tree)) };
}

/**
 * @param {Test} test
 * @param {string} name
 * @param {number} outcome
 */
function outcomeName({ encoding }, name, outcome) {
  return encoding && (encoding.kind === "levels" || outcome === encoding.missing) ? rangeName(name) : name;
}

/**
 * @param {Test[]} before
 * @param {Test[]} tests
 * @param {Tree} tree
 * @returns {Tree}
 */
function translateTree(before, tests, tree) {
  const outline = tree.outline.map((group) => {
    const { test } = tree.nodes[group.nodes[0]];
    if (test === undefined || !group.branches) return group;
    return { ...group, branches: group.branches.map((branch) => ({ ...branch, names: branchNames(before[test], branch) })) };
  });
  const nodes = tree.nodes.map((node) => {
    if (node.test === undefined || node.usual.outcomes === null) return node;
    return { ...node, usual: { ...node.usual, outcomes: usualWords(tests[node.test], node, tree.models !== undefined) } };
  });
  return { ...tree, outline, nodes };
}

/**
 * A branch has a name of its own where it is for all outcomes ("then"), or for those that are on no list.
 * @param {Test} test
 * @param {Branch} branch
 */
function branchNames(test, { names, outcomes }) {
  const isOurs = test.encoding?.kind === "levels" || names.length !== outcomes.length;
  return names.map((name, at) => (isOurs ? rangeName(name) : outcomeName(test, name, outcomes[at])));
}

/**
 * The outcomes that lead where most known cases went.
 * @param {Test} test
 * @param {Inner} node
 * @param {boolean} hasModels a tree with models sends there what is on no list
 */
function usualWords({ outcomes, encoding }, { branches, usual }, hasModels) {
  if (encoding?.kind === "levels") {
    return (usual.outcomes ?? "").split(/ or (?!more)/).map(rangeName).join(say("list.or"));
  }
  const leading = outcomes.filter((_, outcome) => (branches[outcome] ?? (hasModels ? usual.child : null)) === usual.child);
  return leading.join(say("list.or")) || say("range.unknown");
}
