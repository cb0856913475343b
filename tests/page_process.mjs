// The report page's scripts, asked by lines of JSON; what came of each goes back as a line.
//   {contents}        trees to consult
//   {tree, texts}     answers for one of them: a text is typed into the number field and entered, null clicks
//                     "not available", a number a button
//   {content, walks}  so many consultations at random of one tree: which of them could cost more than its worst case
//   {facts, losses}   what is known of other trees, in a language
//   {branches}        what the branches of a tree are called, in English, and how deep they are
//   {content, rows}   where rows of outcomes end in another tree

import { createInterface } from "node:readline";
import { refusal } from "../src/budgetree/report/page/answers.js";
import { factWords } from "../src/budgetree/report/page/facts.js";
import { indexTree, levelOf, testAt } from "../src/budgetree/report/page/model.js";
import { nameAll } from "../src/budgetree/report/page/names.js";
import { follow } from "../src/budgetree/report/page/routing.js";
import { inLanguage } from "./report/page/js/speaking.js"; // English, but where it says so

function indexed(content) {
  const named = nameAll(content);
  return indexTree(named, named.trees[0]);
}

/** @type {ReturnType<typeof indexTree>[]} */
let indexes = [];

/** As the page does it: a text that is refused is not answered, and the question stays. */
function consult({ tree, texts }) {
  const index = indexes[tree];
  const answers = [];
  const said = [];
  for (const text of texts) {
    const state = follow(index, answers);
    if (!state.open) break;
    const { encoding, outcomes } = testAt(index, state.at);
    if (text === null) {
      answers.push({ outcome: null, said: "not available", unavailable: true });
    } else if (typeof text === "number") {
      answers.push({ outcome: text < outcomes.length ? text : null, said: String(text) });
    } else if (encoding?.kind === "levels") {
      const refused = refusal(text);
      const level = refused ? null : levelOf(encoding.thresholds, Number(text));
      said.push({ text, refused, level, test: index.nodes[state.at].test });
      if (!refused) answers.push({ outcome: level, said: text });
    }
  }
  const { at, spent, label, open } = follow(index, answers);
  return { at, spent, label, open, said };
}

/** Every test that is asked for is answered with the row's outcome. */
function route({ content, rows }) {
  const index = indexed(content);
  const ends = rows.map((row) => {
    const answers = [];
    for (;;) {
      const state = follow(index, answers);
      if (!state.open) return { label: state.label, spent: state.spent, stopped: state.unseen !== null };
      const outcome = row[index.nodes[state.at].test];
      answers.push({ outcome, said: String(outcome) });
    }
  });
  return { ends };
}

/** Any test of the stage, with any result, none of these, or none at all, paid or not. */
function wander({ content, walks, seed }) {
  const index = indexed(content);
  const [tree] = content.trees;
  const above = [];
  let state = seed >>> 0;
  const random = (/** @type {number} */ below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  for (let walk = 0; walk < walks; walk++) {
    const answers = [];
    for (;;) {
      const { open, waiting, further, ...price } = follow(index, answers);
      [price, ...further].forEach(({ spent, left }, at) => {
        const { max_cost: most } = at ? tree.further[at - 1] : tree;
        if (spent + left > most + 1e-9 * (1 + most)) above.push({ walk, at, spent, left, most, answers });
      });
      if (!open) break;
      const node = index.nodes[waiting[random(waiting.length)]];
      const outcome = random(index.content.tests[node.test].outcomes.length + 3);
      const isListed = outcome < index.content.tests[node.test].outcomes.length;
      const missing = outcome > index.content.tests[node.test].outcomes.length ? { unavailable: true, charged: random(2) === 1 } : {};
      answers.push({ test: node.test, outcome: isListed ? outcome : null, said: "", ...missing });
    }
  }
  return { above };
}

/** Depth and name of every branch, from top to bottom. */
function branches({ outline }) {
  const found = [];
  const pending = [{ group: 0, depth: 0, label: "" }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { group, depth, label } = next;
    found.push([depth, label]);
    const below = (outline[group].branches ?? []).map((branch) => ({ group: branch.below, depth: depth + 1, label: branch.names.join(" | ") }));
    pending.push(...below.reverse());
  }
  return { branches: found.slice(1) };
}

/** Facts about other trees as sentences. */
function say({ facts, losses, language = "en" }) {
  return { said: inLanguage(language, () => facts.map((fact) => factWords({ losses }, fact))) };
}

function answerTo(request) {
  if (request.facts) return say(request);
  if (request.branches) return branches(nameAll(request.branches).trees[0]);
  if (request.walks) return wander(request);
  if (request.rows) return route(request);
  if (request.texts) return consult(request);
  indexes = request.contents.map(indexed);
  return { ready: indexes.length };
}

for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    answer = answerTo(JSON.parse(line));
  } catch (error) {
    answer = { thrown: String(error.stack) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
