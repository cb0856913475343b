// What outcomes, branches and totals are called in the language in use. The user's own names stay as they are.

import { totalRange } from "./model.js";
import { numeral, say } from "./words.js";

/** @import { Branch, ByTotal, Content, Group, Interval, Outcome, Tree } from "./types.d.ts" */

/**
 * The content with names: of outcomes, branches, points and of what is done without a result.
 * @param {Content & { tests: { outcomes: any[] }[] }} content as Python writes it
 * @returns {Content}
 */
export function nameAll(content) {
  const outcomes = content.tests.map((test) => test.outcomes);
  const tests = content.tests.map((test) => ({ ...test, outcomes: test.outcomes.map(outcomeName) }));
  return { ...content, tests, trees: content.trees.map((tree) => nameTree(outcomes, tree)) };
}

/** @param {Outcome[][]} outcomes per test @param {Tree} tree @returns {Tree} */
function nameTree(outcomes, tree) {
  const outline = tree.outline.map((group) => {
    const branches = group.branches?.map((branch) => ({ ...branch, names: branchNames(outcomes, tree, group, branch) }));
    return {
      ...group,
      ...(branches ? { branches } : {}),
      ...(group.points ? { points: group.points.map((table) => ({ ...table, names: table.results.map(([of]) => namesOf(outcomes[table.test], of)) })) } : {}),
      ...(group.endings ? { endings: group.endings.map((ending) => ({ ...ending, names: endingNames(ending.totals) ?? branches?.find(({ below }) => below === ending.below)?.names ?? [] })) } : {}),
    };
  });
  const nodes = tree.nodes.map((node) => {
    if (node.kind !== "by_result" || !node.usual.decides) return node;
    const words = namesOf(outcomes[node.test], node.usual.results).join(say("list.or")) || say("range.unknown");
    return { ...node, usual: { ...node.usual, words } };
  });
  return { ...tree, outline, nodes };
}

/** @type {(totals: [low: number, high: number][]) => string[] | null} null where they are not known */
const endingNames = (totals) => (totals.length ? totals.map(([low, high]) => (low === high ? `${low}` : `${low}-${high}`)) : null);

/**
 * A branch has a name of its own where it is for outcomes that are on no list, or for totals.
 * @param {Outcome[][]} all @param {Tree} tree @param {Group} group @param {Branch} branch
 */
function branchNames(all, tree, { end = 0 }, { outcomes = [], sides = [] }) {
  const node = tree.nodes[end];
  if (node.kind === "by_result") return outcomes.length ? namesOf(all[node.test], outcomes) : [say("range.else")];
  if (node.kind !== "by_total") return [];
  if (node.confidence !== undefined) {
    const sure = () => say("range.sure", { share: shareWords(node.confidence ?? 1, 4) });
    return [sides.length > 1 ? say("range.any") : sides[0] ? say("range.less_sure") : sure()];
  }
  return runsOf(sides).map(([first, last]) => (node.at ? chanceRange(node.at, first, last, tree.target === 1) : pointRange(node, first, last)));
}

/** @param {ByTotal} node @param {number} first @param {number} last */
const pointRange = ({ cuts = [] }, first, last) => totalRange(first ? cuts[first - 1] : null, last < cuts.length ? cuts[last] - 1 : null);

/** Neighbouring sides as one, with the first and the last. @type {(sides: number[]) => [number, number][]} */
const runsOf = (sides) =>
  sides.filter((side) => !sides.includes(side - 1)).map((first) => [first, sides.find((side) => side >= first && !sides.includes(side + 1)) ?? first]);

/** How likely the class that is looked for is, between two cuts. @param {number[]} at @param {number} first @param {number} last @param {boolean} ofSecond */
function chanceRange(at, first, last, ofSecond) {
  const [low, high] = [at[first - 1], at[last]].map((chance) => (chance === undefined ? null : shareWords(ofSecond ? chance : 1 - chance, 3)));
  if (low === null) return high === null ? say("range.any") : ofSecond ? say("range.below", { high }) : say("range.above", { low: high });
  if (high === null) return ofSecond ? say("range.from", { low }) : say("range.up_to", { high: low });
  return ofSecond ? say("range.between", { low, high }) : say("range.between", { low: high, high: low });
}

/** @type {(share: number, digits: number) => string} */
const shareWords = (share, digits) => say("number.percent", { share: Number((100 * share).toPrecision(digits)) });

/** What outcomes are called together, neighbouring levels as one range. @param {Outcome[]} all @param {number[]} outcomes */
export function namesOf(all, outcomes) {
  /** @type {Outcome[]} */
  const found = [];
  outcomes.forEach((outcome, place) => {
    const [name, before] = [all[outcome], found.at(-1)];
    if (isRange(name) && isRange(before) && outcomes[place - 1] === outcome - 1) {
      found[found.length - 1] = { ...before, high: name.high, is_within: name.is_within };
    } else {
      found.push(name);
    }
  });
  return found.map(outcomeName);
}

/** @param {Outcome | undefined} name @returns {name is Interval} */
const isRange = (name) => typeof name === "object" && name !== null && name.level === null;

/** @param {Outcome} name */
export function outcomeName(name) {
  if (name === null) return say("range.missing");
  if (typeof name === "string") return name;
  const { is_above: isAbove, is_within: isWithin, level } = name;
  if (level !== null) return say("range.level", { number: level });
  const [low, high] = [name.low, name.high].map((end) => (end === null ? null : numeral(end)));
  if (low === null) return high === null ? say("range.any") : say(isWithin ? "range.up_to" : "range.below", { high });
  const from = isAbove ? say("range.above", { low }) : low;
  if (high === null) return isAbove ? from : say("range.from", { low });
  return low === high ? low : say("range.between", { low: from, high });
}
