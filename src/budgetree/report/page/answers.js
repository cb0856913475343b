// The ways to answer one question: a number, a button per outcome, a list to filter, "missing", none of these, not available.

import { buttonOf, element, visible } from "./dom.js";
import { buyAt, chargeOf, levelOf, testAt } from "./model.js";
import { inUnit, listed, say, typedNumber } from "./words.js";

/** @import { Answer, Index, Levels, State } from "./types.d.ts" */

/** @typedef {(answer: Answer) => void} GiveAnswer */

const MANY_OUTCOMES = 12; // more outcomes than this get a box to filter them

/**
 * answer({outcome, said}) is called with an outcome's number, or null for one that the tree does not know.
 * @param {Index} index
 * @param {State} state
 * @param {GiveAnswer} answer
 */
export function answerControls(index, state, answer) {
  const { at } = state;
  const test = testAt(index, at);
  const encoding = test.encoding;
  const missing = encoding ? encoding.missing : null;
  const controls = element("div", { class: "answers" });
  const plain = test.outcomes.map((_, outcome) => outcome).filter((outcome) => outcome !== missing);
  const buttons = plain.map((outcome) => outcomeButton(index, state, outcome, answer));
  const list = element("div", { class: plain.length > MANY_OUTCOMES ? "choices many" : "choices" }, ...buttons);
  if (encoding && encoding.kind === "levels") {
    controls.append(numberForm(encoding, answer));
    if (plain.length <= MANY_OUTCOMES) controls.append(element("p", { class: "or" }, say("answers.range")));
  } else if (plain.length > MANY_OUTCOMES) {
    controls.append(filterBox(buttons));
  }
  const rest = element("div", { class: "choices rest" });
  if (missing !== null) rest.append(outcomeButton(index, state, missing, answer));
  const none = () => answer({ outcome: null, said: say("answers.none_said") });
  rest.append(buttonOf({ class: "other", "data-outcome": "none", click: none }, say("answers.none")));
  const charged = element("input", { type: "checkbox", id: "charged" });
  const unavailable = () =>
    answer({ outcome: null, said: say("answers.unavailable_said"), unavailable: true, ...(charged.checked ? { charged: true } : {}) });
  rest.append(
    buttonOf({ class: "other", "data-outcome": "unavailable", click: unavailable },
      element("span", {}, say("answers.unavailable")),
      element("small", {}, say("consult.not_paid")),
    ),
    element("label", { class: "quiet" }, charged, ` ${say("answers.charged")}`),
  );
  const isLong = encoding?.kind === "levels" && plain.length > MANY_OUTCOMES; // a number is typed sooner than found there
  controls.append(isLong ? element("details", {}, element("summary", { class: "or" }, say("answers.range")), list) : list, rest);
  return controls;
}

/** @param {Index} index @param {State} state @param {number} outcome @param {GiveAnswer} answer */
function outcomeButton(index, { at, missing }, outcome, answer) {
  const node = buyAt(index, at);
  const name = testAt(index, at).outcomes[outcome];
  const notes = [];
  if (Math.min(...node.charge) !== Math.max(...node.charge)) notes.push(inUnit(chargeOf(index, node, outcome, missing)));
  if (!node.shown[outcome]) notes.push(say("answers.unseen"));
  return buttonOf({ "data-outcome": outcome, click: () => answer({ outcome, said: name }) },
    element("span", {}, name),
    notes.length ? element("small", {}, listed(notes)) : null,
  );
}

/** @param {Levels} encoding @param {GiveAnswer} answer */
function numberForm({ thresholds, low, high, plausible }, answer) {
  const problem = element("p", { class: "problem", id: "value-problem", role: "alert" });
  const input = element("input", {
    id: "value",
    type: "text", // a number field would swallow wrong input without a word
    inputmode: "decimal",
    autocomplete: "off",
    "aria-describedby": "value-help value-problem",
  });

  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    const given = input.value.trim();
    const typed = given.replace(/\s*!$/, ""); // an insistent answer
    const refused = refusal(typed, given === typed ? plausible : null);
    problem.textContent = visible(refused);
    input.setAttribute("aria-invalid", String(refused !== ""));
    if (refused) {
      input.focus();
      input.select();
      return;
    }
    const measured = /** @type {number} */ (typedNumber(typed));
    answer({ outcome: levelOf(thresholds, measured), said: typed, measured });
  }
  return element(
    "form",
    { class: "number-form", novalidate: true, submit },
    element("label", { for: "value" }, say("answers.number")),
    element("div", { class: "entry" }, input, element("button", { class: "primary", type: "submit" }, say("answers.enter"))),
    element("p", { class: "quiet", id: "value-help" }, say("answers.between", { low, high })),
    problem,
  );
}

/**
 * Why a text cannot be read as a number, or is far beyond the known ones; "" if it can.
 * @param {string} text
 * @param {[number, number] | null} [plausible]
 */
export function refusal(text, plausible = null) {
  const given = text.trim();
  if (!given) return say("answers.empty");
  const number = typedNumber(given);
  if (number === null) {
    const hint = /\d[.,]\d/.test(given) ? say("answers.decimals") : "";
    return say("answers.no_number", { given, example: 4.5 }) + hint;
  }
  if (!Number.isFinite(number)) return say("answers.too_large", { given });
  return plausible && (number < plausible[0] || number > plausible[1]) ? say("answers.beyond", { given, low: plausible[0], high: plausible[1] }) : "";
}

/** @param {HTMLButtonElement[]} buttons */
function filterBox(buttons) {
  const note = element("p", { class: "quiet", role: "status" });
  const input = element("input", { id: "filter", type: "search", autocomplete: "off", spellcheck: "false" });
  /** @type {(button: HTMLButtonElement) => string} */
  const nameOn = (button) => button.firstChild?.textContent ?? "";
  const matching = () => buttons.filter((button) => !button.hidden);

  input.addEventListener("input", () => {
    const wanted = input.value.trim().toLowerCase();
    for (const button of buttons) button.hidden = !nameOn(button).toLowerCase().includes(wanted);
    note.textContent = wanted ? say("answers.matching", { count: matching().length }) : "";
  });
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    if (matching().length === 1) matching()[0].click();
    else note.textContent = say(matching().length ? "answers.ambiguous" : "answers.no_match");
  });
  const label = element("label", { for: "filter" }, say("answers.find", { count: buttons.length }));
  return element("div", { class: "filter" }, label, input, note);
}
