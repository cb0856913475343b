import assert from "node:assert/strict";
import test from "node:test";

import { nameAll } from "../../../../src/budgetree/report/page/names.js";
import { content, modelled } from "./content.js";
import { inLanguage } from "./speaking.js";

const levels = (missing) => ({ kind: "levels", thresholds: [2.5], low: 0, high: 5, missing });
const range = (low, high, more = {}) => ({ low, high, is_above: false, is_within: false, level: null, ...more });

function measured() {
  const made = content();
  const [colour, size] = made.tests;
  made.tests = [
    { ...colour, outcomes: [range("0", "2.5"), range("2.5", "4.0"), range("4.0", null), null], encoding: levels(3) },
    { ...size, outcomes: ["0 to 5", null], encoding: { kind: "values", values: ["0 to 5"], missing: 1 } },
  ];
  const [tree] = made.trees;
  tree.outline[0].branches = [{ outcomes: [0, 1, 3], below: 1 }, { outcomes: [], below: 2 }];
  tree.outline[1].branches = [{ outcomes: [0], below: 3 }, { outcomes: [1], below: 4 }];
  tree.nodes[1].usual = { child: 2, results: [0, 2], decides: true };
  tree.nodes[5].usual = { child: 7, results: [], decides: true };
  tree.nodes[6].usual = { child: 10, results: [1], decides: false };
  return made;
}

const branchNames = (made, group) => made.trees[0].outline[group].branches.map(({ names }) => names);

test("outcomes and branches are named, neighbouring levels as one", () => {
  const made = nameAll(measured());
  assert.deepEqual(made.tests[0].outcomes, ["0 to 2.5", "2.5 to 4.0", "4.0 or more", "missing"]);
  assert.deepEqual(branchNames(made, 0), [["0 to 4.0", "missing"], ["anything else"]]);
  assert.deepEqual(branchNames(made, 1), [["0 to 5"], ["missing"]]);
  assert.deepEqual(made.trees[0].nodes[1].usual.words, "0 to 2.5 or 4.0 or more");
  assert.deepEqual(made.trees[0].nodes[5].usual.words, "none of the known");
  assert.deepEqual(made.trees[0].nodes[6].usual.words, undefined);
});

test("in another language too, and the user's own names are not touched", () => {
  const made = inLanguage("de", () => nameAll(measured()));
  assert.deepEqual(made.tests[0].outcomes, ["0 bis 2,5", "2,5 bis 4,0", "4,0 oder mehr", "fehlt"]);
  assert.deepEqual(made.tests[1].outcomes, ["0 to 5", "fehlt"]); // a text that only looks like a range
  assert.deepEqual(branchNames(made, 0), [["0 bis 4,0", "fehlt"], ["alles andere"]]);
  assert.equal(made.trees[0].nodes[1].usual.words, "0 bis 2,5 oder 4,0 oder mehr");
});

test("ends that belong to a level, or do not, and levels that numbers cannot tell apart", () => {
  const made = measured();
  const odd = [range(null, "1", { is_within: true }), range("1", "2", { is_above: true }), range("2", null, { is_above: true }), range("-7.0", "-7.0"), range(null, null, { level: 1 }), range(null, null)];
  made.tests[0].outcomes = odd;
  made.trees[0].outline[0].branches = [{ outcomes: [3, 4], below: 1 }, { outcomes: [1, 2], below: 2 }];
  const german = inLanguage("de", () => nameAll(made));
  assert.deepEqual(german.tests[0].outcomes, ["bis 1", "über 1 bis 2", "über 2", "-7,0", "Stufe 1", "beliebig"]);
  assert.deepEqual(branchNames(german, 0), [["-7,0", "Stufe 1"], ["über 1"]]);
});

test("sides of totals are named in the language", () => {
  const made = modelled();
  const [tree] = made.trees;
  const named = (node, sides) => {
    tree.nodes[1] = { ...tree.nodes[1], confidence: undefined, ...node };
    tree.outline[0].branches = sides.map((own) => ({ sides: own, below: 1 }));
    return inLanguage("de", () => branchNames(nameAll(made), 0));
  };
  const cuts = [2, 7];
  assert.deepEqual(named({ cuts }, [[0], [1], [2], [0, 2], [0, 1, 2]]), [["1 Punkt oder weniger"], ["2 bis 6 Punkte"], ["7 Punkte oder mehr"], ["1 Punkt oder weniger", "7 Punkte oder mehr"], ["beliebig"]]);
  assert.deepEqual(named({ cuts: [1, 2] }, [[1]]), [["1 Punkt"]]);
  assert.deepEqual(named({ confidence: 0.8 }, [[0], [1], [0, 1]]), [["80 % sicher"], ["weniger sicher"], ["beliebig"]]);
  const at = [0.07, 0.932];
  assert.deepEqual(named({ cuts, at }, [[0], [1, 2], [1]]), [["unter 7 %"], ["7 % oder mehr"], ["7 % bis 93,2 %"]]);
  tree.target = 0;
  assert.deepEqual(named({ cuts, at }, [[0], [2], [1]]), [["über 93 %"], ["bis 6,8 %"], ["6,8 % bis 93 %"]]);
});
