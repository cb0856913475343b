// @ts-check
// The consultation: one question at a time, what was spent, what is left, and the diagnosis at the end.

import { answerControls } from "./answers.js";
import { amount, byId, capital, cases, className, classBars, counted, element, percent, rounded, say, total } from "./dom.js";
import { aboutClass, answerWords, explanationParts } from "./explanation.js";
import { lossOf } from "./losses.js";
import { modelTests, nodeShares, priceWords, testAt } from "./model.js";
import { follow } from "./routing.js";

/**
 * @typedef {import("./types.d.ts").Answer} Answer
 * @typedef {import("./types.d.ts").Index} Index
 * @typedef {import("./types.d.ts").Session} Session
 * @typedef {import("./types.d.ts").State} State
 * @typedef {import("./types.d.ts").Step} Step
 */

/**
 * @param {Index} index
 * @returns {Session}
 */
export function startConsultation(index) {
  /** @type {Session} */
  const session = { index, answers: [] };
  // Nothing is announced and no focus moves before the first answer.
  showState(session, false);
  return session;
}

/**
 * @param {Session} session
 * @param {Answer} answer
 */
function giveAnswer(session, answer) {
  session.answers.push(answer);
  showState(session, true);
}

/**
 * @param {Session} session
 * @returns {boolean} whether there was a step to go back
 */
export function goBack(session) {
  if (!session.answers.length) return false;
  session.answers.pop();
  showState(session, true);
  return true;
}

/** @param {Session} session */
function startOver(session) {
  session.answers = [];
  showState(session, true);
}

/**
 * @param {Session} session
 * @param {boolean} moved
 */
function showState(session, moved) {
  const state = follow(session.index, session.answers);
  byId("question").replaceChildren(state.open ? questionCard(session, state) : diagnosisCard(session, state));
  byId("progress").replaceChildren(...progressParts(session, state));
  if (!moved) return;
  say("announcement", inWords(session.index, state));
  focusFirst(state);
}

/**
 * A keyboard user types the next value at once; on a touch screen a keyboard that pops up would hide the question.
 * @param {State} state
 */
function focusFirst(state) {
  const touch = window.matchMedia("(pointer: coarse)").matches;
  const selector = touch || !state.open ? "#question h3" : "#question input, #question .answers button";
  /** @type {HTMLElement | null} */ (document.querySelector(selector))?.focus({ preventScroll: !touch });
}

/**
 * @param {Index} index
 * @param {State} state
 */
export function inWords(index, state) {
  const without = lastWithout(index, state);
  if (state.open) {
    const price = priceWords(index, state.at, state.due);
    return `${without}Next test: ${testAt(index, state.at).name}, ${price}. Spent so far ${amount(state.spent)}.`;
  }
  const what = isClass(index, state) ? "Diagnosis" : "Answer";
  return `${without}${what}: ${index.content.answers[state.label]}. Spent ${amount(state.spent)}.`;
}

/**
 * @param {Index} index
 * @param {State} state
 */
const isClass = (index, { label }) => label < index.content.classes.length;

/**
 * What is done without a result is said, or the answer would look like that of a case with all of them.
 * @param {Index} index
 * @param {Step} step
 */
function withoutWords(index, { at, assumed }) {
  const test = testAt(index, at).name;
  const goingOn = assumed === null ? "the other tests have to answer" : `the case goes on as most known cases did (${assumed})`;
  return `No result of ${test}: it is not paid, and ${goingOn}.`;
}

/**
 * @param {Index} index
 * @param {State} state
 */
function lastWithout(index, { steps }) {
  const last = steps.filter((step) => !step.again).pop();
  return last?.answer.unavailable ? `${withoutWords(index, last)} ` : "";
}

/**
 * @param {Session} session
 * @param {State} state
 */
function questionCard(session, state) {
  const { index } = session;
  const test = testAt(index, state.at);
  const first = state.steps.length === 0;
  const without = lastWithout(index, state);
  return element(
    "div",
    { class: "card", "data-state": "open" },
    element("p", { class: "eyebrow" }, first ? "First test" : "Next test"),
    element("h3", { tabindex: "-1" }, test.name),
    element("p", { class: "price" }, `${capital(priceWords(index, state.at, state.due))}.`, feeNote(index, state)),
    without ? element("p", { class: "notice" }, without.trim()) : null,
    answerControls(index, state, (answer) => giveAnswer(session, answer)),
    stepButtons(session),
  );
}

/**
 * @param {Index} index
 * @param {State} state
 */
function feeNote(index, { at, due }) {
  const test = testAt(index, at);
  if (due.length) return " A shared fee is paid once per case.";
  return test.fees.length ? " Its shared fee is already paid." : "";
}

/**
 * @param {Session} session
 * @param {State} state
 */
function diagnosisCard(session, state) {
  const { index } = session;
  const node = index.nodes[state.at];
  const all = total(node.counts);
  const about = aboutClass(index, state);
  const right = node.counts[about];
  const known = `${amount(right)} of ${counted(all, "known case", "known cases")}`;
  const share = `(${percent(right, all)})`;
  const which = about === state.label ? "this class" : `the class ${index.content.classes[about]}`;
  const card = element(
    "div",
    { class: "card", "data-state": state.stopped ? "stopped" : "leaf", "data-class": state.label },
    element("p", { class: "eyebrow" }, isClass(index, state) ? "Diagnosis" : "Answer"),
    element("h3", { tabindex: "-1", class: "diagnosis" }, className(index.content, state.label)),
  );
  if (state.shares) {
    card.append(element("p", {}, modelWords(index, state, state.shares)));
    if (state.sure) card.append(element("p", { class: "notice" }, "That is sure enough: no more tests are bought."));
  } else if (state.stopped) {
    const { at, answer } = state.steps[state.steps.length - 1];
    const test = testAt(index, at).name;
    const why = `No known case had this result of ${test} at this point (${answer.said}), so the tree stops here.`;
    const paid = "The test was done, so it is paid. The answer is that of the cases before the test.";
    card.append(
      element("p", { class: "notice" }, `${why} ${paid}`),
      element("p", {}, `${known} that came this far ${share} had ${which}; none ended here.`),
    );
  } else {
    card.append(element("p", {}, `${known} that ended here ${share} had ${which}.`));
  }
  const { losses } = index.content;
  if (losses) {
    const loss = rounded(lossOf(losses, state.shares ?? nodeShares(index, state.at), state.label));
    card.append(element("p", {}, "Of all answers it loses least: ", element("strong", { id: "expected-loss" }, loss), " per case like this."));
  }
  for (const step of state.steps) {
    if (step.answer.unavailable && !step.again) card.append(element("p", { class: "notice" }, withoutWords(index, step)));
  }
  card.append(element("p", {}, "Spent in all: ", element("strong", { id: "spent-in-all" }, amount(state.spent)), "."));
  card.append(...explanationParts(index, state), stepButtons(session));
  return card;
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {number[]} shares
 */
function modelWords(index, state, shares) {
  const tests = modelTests(index, state.at);
  const who = tests ? `The model of ${tests.join(", ") || "no test"}` : "The tree";
  const about = aboutClass(index, state);
  const what = about === state.label ? "it" : index.content.classes[about];
  return `${who} gives ${what} a probability of ${percent(shares[about], 1)}.`;
}

/** @param {Session} session */
function stepButtons(session) {
  const begun = session.answers.length > 0;
  return element(
    "div",
    { class: "buttons" },
    element("button", { type: "button", id: "back", disabled: !begun, click: () => goBack(session) }, "Back one step"),
    element("button", { type: "button", id: "restart", disabled: !begun, click: () => startOver(session) }, "Start over"),
  );
}

/**
 * @param {Session} session
 * @param {State} state
 */
function progressParts(session, state) {
  const { index } = session;
  const node = index.nodes[state.at];
  const last = state.steps.filter((step) => step.at !== state.at).pop();
  const sums = element(
    "dl",
    { class: "sums" },
    element("div", {}, element("dt", {}, "Spent so far"), element("dd", { id: "spent" }, amount(state.spent))),
    element("div", {}, element("dt", {}, "Still to pay at worst"), element("dd", { id: "left" }, amount(state.left))),
    element("div", {}, element("dt", {}, "In all at worst"), element("dd", {}, amount(state.spent + state.left))),
  );
  const before = session.answers.length ? follow(index, session.answers.slice(0, -1)).shares : null;
  const bars = state.shares
    ? classBars(index.content, state.shares, before, false)
    : classBars(index.content, node.counts, last ? index.nodes[last.at].counts : null);
  const cameThisFar = `${cases(total(node.counts))} of ${amount(total(index.nodes[0].counts))} came this far`;
  return [
    sums,
    element("h3", {}, state.shares ? "Probability of each class" : "Classes of the known cases"),
    element("p", { class: "quiet" }, last ? `${cameThisFar}; the tick is the share before the last answer.` : `${cameThisFar}.`),
    bars,
    element("h3", {}, "Answers so far"),
    answersSoFar(index, state.steps),
  ];
}

/**
 * @param {Index} index
 * @param {Step[]} steps
 */
function answersSoFar(index, steps) {
  if (!steps.length) return element("p", { class: "quiet", id: "history" }, "None yet.");
  const lines = steps.map((step) => {
    const test = testAt(index, step.at).name;
    const paid = step.answer.unavailable ? "not paid" : `paid ${amount(step.price)}`;
    const cost = step.again ? "known already" : paid;
    const words = answerWords(index, step);
    return element("li", {}, element("b", {}, test), ` ${words} `, element("span", { class: "quiet" }, cost));
  });
  return element("ol", { id: "history" }, ...lines);
}
