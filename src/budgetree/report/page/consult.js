// The consultation: one question at a time, what was spent, what is left, and the diagnosis at the end.

import { answerControls } from "./answers.js";
import { buttonOf, byId, capital, className, classBars, element, percent, put, rounded, total } from "./dom.js";
import { aboutClass, answerWords, explanationParts } from "./explanation.js";
import { lossOf } from "./losses.js";
import { buyAt, dueAt, isFee, nodeShares, orderedName, priceWords, ruleOf, testAt, testWords } from "./model.js";
import { recordButtons, recordOf, recordParts } from "./record.js";
import { follow, runningPoints } from "./routing.js";
import { amount, clean, ofEach, say, sayParts } from "./words.js";

/** @import { Answer, Index, Leaf, Session, State, Step } from "./types.d.ts" */

/** @param {Index} index @param {Answer[]} answers those of a consultation that was loaded @returns {Session} */
export function startConsultation(index, answers = []) {
  /** @type {Session} */
  const session = { index, answers };
  // Nothing is announced and no focus moves before the first answer.
  showState(session, answers.length > 0);
  return session;
}

/** @param {Session} session @returns {boolean} whether there was a step to go back */
export function goBack(session) {
  if (!session.answers.length) return false;
  session.answers.pop();
  showState(session, true);
  return true;
}

/** @param {Session} session @param {boolean} moved */
function showState(session, moved) {
  const found = follow(session.index, session.answers);
  const at = found.waiting.find((buy) => buy === session.asked) ?? found.at;
  const state = { ...found, at };
  byId("question").replaceChildren(state.open ? questionCard(session, state) : diagnosisCard(session, state));
  byId("progress").replaceChildren(...progressParts(session, state));
  byId("record").replaceChildren(...(state.open ? [] : recordParts(recordOf(session.index, state))));
  if (!moved) return;
  put("announcement", inWords(session.index, state));
  focusFirst(state);
}

/** A keyboard user types the next value at once; on a touch screen a keyboard that pops up would hide the question. @param {State} state */
function focusFirst(state) {
  const touch = window.matchMedia("(pointer: coarse)").matches;
  const selector = touch || !state.open ? "#question h3" : "#question input, #question .answers button";
  /** @type {HTMLElement | null} */ (document.querySelector(selector))?.focus({ preventScroll: !touch });
}

/** @param {Index} index @param {State} state */
export function inWords(index, state) {
  const without = lastWithout(index, state);
  if (state.open) {
    const price = priceWords(index, [state.at], state.missing);
    return without + say("consult.next_said", { test: testAt(index, state.at).name, price, spent: spentOf(state) });
  }
  const what = isClass(index, state) ? "consult.diagnosis_said" : "consult.answer_said";
  return without + say(what, { class: index.content.answers[state.label], spent: spentOf(state) });
}

/** What was spent of every resource. @param {State} state */
const spentOf = (state) => ofEach(state, ({ spent }) => spent);

/** Why a case ends before its next test. @param {Index} index @param {State} state */
function refusalWords(index, { at }) {
  const { tests } = index.content;
  const { name, after = [] } = testAt(index, at);
  const words = after.map((setters) =>
    setters.map(([test, outcomes]) => `${tests[test].name}${outcomes ? ` (${outcomes.map((outcome) => tests[test].outcomes[outcome]).join(say("list.or"))})` : ""}`).join(say("list.or")),
  );
  return say("consult.refused", { test: name, after: words.join(say("list.and")) });
}

/** @param {Index} index @param {State} state */
const isClass = (index, { label }) => label < index.content.classes.length;

/**
 * What is done without a result is said, or the answer would look like that of a case with all of them.
 * @param {Index} index
 * @param {Step} step
 */
function withoutWords(index, { at, answer, assumed }) {
  const test = testAt(index, at).name;
  const paid = say(answer.charged ? "consult.without_paid" : "consult.without_unpaid", { test });
  return `${paid} ${assumed === null ? say("consult.without_model") : say("consult.without", { outcomes: assumed })}`;
}

/** @param {Index} index @param {State} state */
function lastWithout(index, { steps }) {
  const last = steps.at(-1);
  return last?.answer.unavailable ? `${withoutWords(index, last)} ` : "";
}

/** @param {Session} session @param {State} state */
function questionCard(session, state) {
  const { index } = session;
  const test = testAt(index, state.at);
  const first = state.steps.length === 0;
  const without = lastWithout(index, state);
  const give = (/** @type {Answer} */ answer) => {
    session.answers.push({ ...answer, test: buyAt(index, state.at).test, time: new Date().toISOString() });
    showState(session, true);
  };
  return element(
    "div",
    { class: "card", "data-state": "open" },
    element("p", { class: "eyebrow" }, say(first ? "consult.first" : "consult.next")),
    element("h3", { tabindex: "-1" }, orderedName(test)),
    test.help ? element("p", { class: "help" }, test.help) : null,
    element("p", { class: "price" }, `${capital(priceWords(index, [state.at], state.missing))}.`, sharedNote(index, state)),
    without ? element("p", { class: "notice" }, without.trim()) : null,
    answerControls(index, state, give),
    otherTests(session, state),
    stepButtons(session),
  );
}

/** The other tests of the stage, which may be done first. @param {Session} session @param {State} state */
function otherTests(session, { at, waiting }) {
  const others = waiting.filter((buy) => buy !== at);
  if (!others.length) return null;
  const buttons = others.map((buy) => {
    const ask = () => {
      session.asked = buy;
      showState(session, true);
    };
    return buttonOf({ "data-buy": buy, click: ask }, testAt(session.index, buy).name);
  });
  return element("div", { class: "others" }, element("p", { class: "or" }, say("consult.others")), element("div", { class: "buttons" }, ...buttons));
}

/** @param {Index} index @param {State} state */
function sharedNote(index, { at, missing }) {
  const isShared = (/** @type {number} */ place) => isFee(index, place);
  if (dueAt(buyAt(index, at), missing).some(isShared)) return ` ${say("consult.shared_due")}`;
  return testAt(index, at).shared.some(isShared) ? ` ${say("consult.shared_paid")}` : "";
}

/** @param {Session} session @param {State} state */
function diagnosisCard(session, state) {
  const { index } = session;
  const node = index.nodes[state.at];
  const { counts } = index.nodes[node.voters ?? state.at];
  const all = total(counts);
  const about = aboutClass(index, state);
  const right = counts[about];
  const which = say(about === state.label ? "consult.this_class" : "consult.the_class", { class: index.content.classes[about] });
  const known = { right, count: all, share: percent(right, all), class: which };
  const card = element(
    "div",
    { class: "card", "data-state": state.unseen && !state.shares ? "stopped" : "leaf", "data-class": state.label },
    element("p", { class: "eyebrow" }, say(isClass(index, state) ? "consult.diagnosis" : "consult.answer")),
    element("h3", { tabindex: "-1", class: "diagnosis" }, className(index.content, state.label)),
  );
  const help = index.content.answer_help?.[state.label];
  if (help) card.append(element("p", { class: "help" }, help));
  if (state.possible) {
    const count = clean(total(state.possible));
    const share = percent(state.possible[about], total(state.possible));
    card.append(element("p", {}, say("consult.possible", { count, share, class: which })));
  } else if (state.shares) {
    card.append(element("p", {}, modelWords(index, state, state.shares)));
    if (state.sure) card.append(element("p", { class: "notice" }, say("consult.sure")));
  } else if (state.unseen) {
    const { at, answer } = state.unseen;
    const test = testAt(index, at).name;
    card.append(
      element("p", { class: "notice" }, say("consult.unseen", { test, answer: answer.said })),
      element("p", {}, say("consult.came", known)),
    );
  } else {
    card.append(element("p", {}, say("consult.ended", known)));
  }
  const { losses } = index.content;
  if (losses) {
    const loss = rounded(lossOf(losses, state.shares ?? nodeShares(index, state.at), state.label));
    card.append(element("p", {}, ...sayParts("consult.loses", { loss: element("strong", { id: "expected-loss" }, loss) })));
  }
  for (const step of state.steps) {
    if (step.answer.unavailable) card.append(element("p", { class: "notice" }, withoutWords(index, step)));
  }
  if (state.refused) card.append(element("p", { class: "notice" }, refusalWords(index, state)));
  const spent = element("strong", { id: "spent-in-all" }, spentOf(state));
  card.append(element("p", {}, ...sayParts("consult.in_all", { spent })));
  card.append(...explanationParts(index, state), stepButtons(session, recordButtons(recordOf(index, state))));
  return card;
}

/** @param {Index} index @param {State} state @param {number[]} shares */
function modelWords(index, state, shares) {
  const node = /** @type {Leaf} */ (index.nodes[state.at]);
  const about = aboutClass(index, state);
  const which = say(about === state.label ? "consult.it" : "consult.to_class", { class: index.content.classes[about] });
  const tests = node.totals === undefined ? "" : testWords(index, node.totals);
  return say(`consult.by_${ruleOf(node) ?? "tree"}`, { tests, class: which, share: percent(shares[about], 1) });
}

/** @param {Session} session @param {HTMLElement[]} more */
function stepButtons(session, more = []) {
  const begun = session.answers.length > 0;
  return element(
    "div",
    { class: "buttons" },
    buttonOf({ id: "back", disabled: !begun, click: () => goBack(session) }, say("consult.back")),
    buttonOf({ id: "restart", disabled: !begun, click: () => showState(Object.assign(session, { answers: [] }), true) }, say("consult.restart")),
    ...more,
  );
}

/** @param {Session} session @param {State} state */
function progressParts(session, state) {
  const { index } = session;
  const node = index.nodes[state.at];
  const { counts } = index.nodes[node.voters ?? state.at];
  const last = state.steps.at(-1);
  const points = runningPoints(index, state);
  /** @type {[string, string, string][]} */
  const figures = [
    ["spent", say("consult.spent"), spentOf(state)],
    ["left", say("consult.left"), ofEach(state, ({ left }) => left)],
    ["at-worst", say("consult.at_worst"), ofEach(state, ({ spent, left }) => clean(spent + left))],
  ];
  if (points !== null) figures.push(["points", say("consult.points"), amount(points)]);
  const sums = element("dl", { class: "sums" }, ...figures.map(([id, name, value]) => element("div", {}, element("dt", {}, name), element("dd", { id }, value))));
  const before = session.answers.length ? follow(index, session.answers.slice(0, -1)).shares : null;
  const bars = state.shares
    ? classBars(index.content, state.shares, before, false)
    : classBars(index.content, counts, last ? index.nodes[last.at].counts : null);
  const came = { count: clean(total(state.possible ?? counts)), all: total(index.nodes[0].counts) };
  return [
    sums,
    element("h3", {}, say(state.shares ? "consult.probabilities" : "consult.classes")),
    element("p", { class: "quiet" }, say(last ? "consult.came_far_tick" : "consult.came_far", came)),
    bars,
    element("h3", {}, say("consult.answers")),
    answersSoFar(index, state),
  ];
}

/** @param {Index} index @param {State} state */
function answersSoFar(index, state) {
  const { steps } = state;
  if (!steps.length) return element("p", { class: "quiet", id: "history" }, say("consult.none"));
  const lines = steps.map((step, at) => {
    const test = testAt(index, step.at).name;
    const cost = step.answer.unavailable && !step.answer.charged ? say("consult.not_paid") : say("consult.paid", { amount: ofEach(state, (of) => of.steps[at].price) });
    const words = answerWords(index, step);
    return element("li", {}, element("b", {}, test), ` ${words} `, element("span", { class: "quiet" }, cost));
  });
  return element("ol", { id: "history" }, ...lines);
}
