import assert from "node:assert/strict";
import test from "node:test";

import { factWords, newCasesFact, originWords, plainWords, proofWords } from "../../../../src/budgetree/report/page/facts.js";
import { content } from "./content.js";
import { inLanguage } from "./speaking.js";

const [tree] = content().trees;
const open = { ...tree, statement: { proven: false, facts: [{ kind: "open" }] } };

test("what is proven is a sentence, and nothing is said where nothing is", () => {
  assert.equal(proofWords(content(), tree), "Proven: No tree within a budget of 5.1 makes fewer errors.");
  assert.equal(proofWords(content(), open), "");
});

test("a certificate says what a cost is where nothing else was proven, and that it was not checked", () => {
  const certified = (ratio) => ({ ...open, certificate: { lines: [], ratio, lower_bound: ratio ? 2 : 0 } });
  assert.match(proofWords(content(), certified(1)), /^Proven, by certificate: .* not checked here\.$/);
  assert.match(proofWords(content(), certified(1.5)), /^Within 1.5 times, by certificate: /);
  assert.equal(proofWords(content(), certified(null)), "");
});

test("the overview says in plain words what it costs and how often it is right", () => {
  const known = "For at most 5.1 per case, 83% of the known cases are answered correctly; sensitivity for ill 67%, specificity 100%; 3.1 on average.";
  assert.equal(plainWords(content(), tree), known);
  const judged = { ...tree, expected: { error: 0.26, se: 0.04, overfitted: false } };
  assert.match(plainWords(content(), judged), /^For at most 5.1 per case, 74% of new cases are answered correctly; on the known cases /);
});

test("new cases have a fact where rows were held out", () => {
  assert.deepEqual(newCasesFact(tree), []);
  const judged = { ...tree, expected: { error: 0.47, se: 0.04, overfitted: true } };
  assert.deepEqual(newCasesFact(judged), [["New cases", "47.0%", "wrong, ± 4.0; overfitted"]]);
  const losing = { ...tree, expected: { error: 0.47, se: 0.04, loss: 0.71428, loss_se: 0.04123, overfitted: false } };
  assert.deepEqual(newCasesFact(losing), [["New cases", "0.714", "lost a case, ± 0.041; 47.0% wrong"]]);
});

test("facts of other trees are about errors or loss, in the language", () => {
  const said = (fact, losses = null) => factWords({ ...content(), losses }, fact);
  const losses = { units: [[0, 1], [1, 0]], scale: 1, plain: true };
  assert.equal(said({ kind: "might", budget: null, least: 1 }), "Some tree at any budget might make as few as 1 error.");
  assert.equal(said({ kind: "might", budget: 2, least: 0 }), "Some tree within a budget of 2 might make as few as no errors.");
  assert.equal(said({ kind: "might", budget: 2, least: 0 }, losses), "Some tree within a budget of 2 might lose as little as 0.");
  assert.equal(said({ kind: "cheapest", max_error: 0.25, cost: null }), "No tree with at most 25 % wrong costs less in the worst case.");
  assert.equal(said({ kind: "cheapest", max_error: 0, cost: 3 }), "No tree without errors costs less than 3 in the worst case.");
  assert.equal(said({ kind: "blanks", tests: ["a", "b"] }), "A blank is a result here, with a branch of its own: a, b.");
  const choice = { kind: "points", best: "model", scores: { points: 0.198, model: 0.174 }, excess: 0.024, standard_error: 0.006 };
  assert.equal(said({ kind: "leaves", choice }), "Brier score on cases held out: points 0.198, a model 0.174, which is 0.024 ± 0.006 less.");
  assert.equal(inLanguage("de", () => said({ kind: "least", budget: 5.1 })), "Kein Baum mit einem Budget von 5,1 macht weniger Fehler.");
});

test("what made a tree is said with its settings and what was done since", () => {
  const made = { method: "greedy", function: "Gini()", settings: ["delta=2"], changes: [{ kind: "cut", budget: 3.5 }, { kind: "trimmed", budget: null }] };
  assert.equal(originWords(made), "greedy Gini(), delta=2, cut at 3.5, trimmed");
  assert.equal(inLanguage("de", () => originWords(made)), "Greedy-Verfahren Gini(), delta=2, gekürzt auf 3,5, vereinfacht");
});
