import assert from "node:assert/strict";
import test from "node:test";

import { translateNames } from "../../../../src/budgetree/report/page/names.js";
import { content, modelled } from "./content.js";
import { inLanguage } from "./speaking.js";

const levels = (missing) => ({ kind: "levels", thresholds: [2.5], low: 0, high: 5, missing });

function measured() {
  const made = content();
  const [colour, size] = made.tests;
  made.tests = [{ ...colour, outcomes: ["0 to 2.5", "2.5 or more", "missing"], encoding: levels(2) }, { ...size, outcomes: ["0 to 5", "missing"], encoding: { kind: "values", values: ["0 to 5"], missing: 1 } }];
  const [tree] = made.trees;
  tree.outline[0].branches = [{ outcomes: [0, 2], names: ["0 to 2.5", "missing"], below: 1 }, { outcomes: [], names: ["anything else"], below: 2 }];
  tree.outline[1].branches = [{ outcomes: [0], names: ["0 to 5"], below: 3 }, { outcomes: [1], names: ["missing"], below: 4 }];
  tree.nodes[1].usual.words = "0 to 2.5 or 2.5 or more";
  tree.nodes[5].usual = { child: 7, results: [1], words: "missing" };
  return made;
}

test("English stays as Python wrote it", () => {
  const made = { ...measured() };
  assert.deepEqual(translateNames(made).tests, made.tests);
  assert.deepEqual(translateNames(made).trees[0].outline, made.trees[0].outline);
});

test("ranges are named in the language, the user's own names are not touched", () => {
  const german = inLanguage("de", () => translateNames(measured()));
  assert.deepEqual(german.tests[0].outcomes, ["0 bis 2,5", "2,5 oder mehr", "fehlt"]);
  assert.deepEqual(german.tests[1].outcomes, ["0 to 5", "fehlt"]); // a text that only looks like a range
  const names = german.trees[0].outline.slice(0, 2).map((group) => group.branches.map((branch) => branch.names.join()));
  assert.deepEqual(names, [["0 bis 2,5,fehlt", "alles andere"], ["0 to 5", "fehlt"]]);
  assert.equal(german.trees[0].nodes[1].usual.words, "0 bis 2,5 oder 2,5 oder mehr");
  assert.equal(german.trees[0].nodes[5].usual.words, "fehlt");
});

test("sides of totals are named in the language", () => {
  const made = modelled();
  const names = ["1 or fewer", "2 to 6 points", "7 points or more", "1 point", "80% sure", "less sure", "any"];
  made.trees[0].outline[1] = { nodes: [1], branch: 1, branches: [{ sides: [0], names, below: 2 }] };
  const german = inLanguage("de", () => translateNames(made)).trees[0].outline[1].branches[0].names;
  assert.deepEqual(german, ["1 oder weniger", "2 bis 6 Punkte", "7 Punkte oder mehr", "1 Punkt", "80% sicher", "weniger sicher", "beliebig"]);
});
