// Python's names of ranges ("127 to 150", "missing") in the language in use. Names that the user gave stay as they are.

import { say, sayAgain } from "./words.js";

/** @import { Branch, ByResult, Content, Test, Tree } from "./types.d.ts" */

/** @type {(name: string) => string} */
const rangeName = (name) => sayAgain(name, "range.");

/** @param {Content} content @returns {Content} */
export function translateNames(content) {
  const tests = content.tests.map((test) => ({ ...test, outcomes: test.outcomes.map((name, outcome) => outcomeName(test, name, outcome)) }));
  return { ...content, tests, trees: content.trees.map((tree) => translateTree(content.tests, tests, tree)) };
}

/** @param {Test} test @param {string} name @param {number} outcome */
function outcomeName({ encoding }, name, outcome) {
  return encoding && (encoding.kind === "levels" || outcome === encoding.missing) ? rangeName(name) : name;
}

/** @param {Test[]} before @param {Test[]} tests @param {Tree} tree @returns {Tree} */
function translateTree(before, tests, tree) {
  const outline = tree.outline.map((group) => {
    if (!group.branches) return group;
    const node = group.end === undefined ? null : tree.nodes[group.end];
    const test = node?.kind === "by_result" ? before[node.test] : null;
    return { ...group, branches: group.branches.map((branch) => ({ ...branch, names: branchNames(test, branch) })) };
  });
  const nodes = tree.nodes.map((node) => {
    if (node.kind !== "by_result" || node.usual.words === null) return node;
    return { ...node, usual: { ...node.usual, words: usualWords(tests[node.test], node) } };
  });
  return { ...tree, outline, nodes };
}

/**
 * A branch has a name of its own where it is for all outcomes ("then"), for those that are on no list, or for totals.
 * @param {Test | null} test
 * @param {Branch} branch
 */
function branchNames(test, { names, outcomes = [] }) {
  const isOurs = test?.encoding?.kind === "levels" || names.length !== outcomes.length;
  return names.map((name, at) => (isOurs || !test ? rangeName(name) : outcomeName(test, name, outcomes[at])));
}

/** The outcomes that lead where most known cases went. @param {Test} test @param {ByResult} node */
function usualWords({ outcomes, encoding }, { usual }) {
  if (encoding?.kind === "levels") return (usual.words ?? "").split(/ or (?!more)/).map(rangeName).join(say("list.or"));
  return usual.results.map((outcome) => outcomes[outcome]).join(say("list.or")) || say("range.unknown");
}
