// A consultation as a record for the file: on paper, as JSON, and read again.

import { buttonOf, element, numberCell, percent, printOnly, rowHead, tableOf } from "./dom.js";
import { answerWords } from "./explanation.js";
import { indexTree, levelOf, nodeShares, testAt } from "./model.js";
import { follow } from "./routing.js";
import { amount, inUnit, ofEach, say } from "./words.js";

/** @import { Answer, Content, Index, Opened, SavedRecord, SavedStep, State } from "./types.d.ts" */

const FORMAT = "budgetree consultation";
const VERSION = 1;
const SHORT = 12; // letters of a digest that tell models apart

/** @param {Index} index @param {State} state of a consultation that is finished @returns {SavedRecord} */
export function recordOf(index, state) {
  const { content, tree } = index;
  const shares = state.shares ?? nodeShares(index, state.at);
  return {
    format: FORMAT,
    version: VERSION,
    title: content.title,
    model: tree.digest,
    finished: state.steps.at(-1)?.answer.time ?? new Date().toISOString(),
    answer: content.answers[state.label],
    cost: state.spent,
    max_cost: tree.max_cost,
    ...(state.further.length ? { further: state.further.map(({ spent }, at) => ({ cost: spent, max_cost: tree.further?.[at].max_cost ?? 0 })) } : {}),
    probabilities: content.classes.map((name, label) => ({ class: name, probability: shares[label] })),
    steps: state.steps.map((step) => ({
      test: testAt(index, step.at).name,
      outcome: step.answer.outcome,
      result: answerWords(index, step),
      ...(step.answer.measured === undefined ? {} : { measured: step.answer.measured }),
      available: !step.answer.unavailable,
      ...(step.answer.charged ? { charged: true } : {}),
      time: step.answer.time ?? "",
      price: step.price,
    })),
  };
}

/** @param {SavedRecord} record */
export function recordButtons(record) {
  const save = () => download(`${record.title || "consultation"}.json`, JSON.stringify(record, null, 2));
  return [
    buttonOf({ id: "print-record", click: () => printOnly("record") }, say("consult.print")),
    buttonOf({ id: "save-record", click: save }, say("consult.save")),
  ];
}

/** @param {string} name @param {string} text */
function download(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  element("a", { href: address, download: name.replace(/[^\p{L}\p{N}._ -]/gu, "_") }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** @type {(time: string) => string} */
const localTime = (time) => (time ? new Date(time).toLocaleString(document.documentElement.lang) : "");

/** The record on paper. @param {SavedRecord} record */
export function recordParts(record) {
  const rows = record.steps.map((step) => {
    const price = step.available || step.charged ? inUnit(step.price) : say("consult.not_paid");
    const cells = [step.result, localTime(step.time)].map((text) => element("td", {}, text));
    return element("tr", {}, rowHead(step.test), ...cells, numberCell(price));
  });
  const likely = record.probabilities.filter(({ probability }) => probability > 0).sort((one, other) => other.probability - one.probability);
  const shares = likely.map((entry) => {
    const share = numberCell(percent(entry.probability, 1));
    return element("tr", {}, rowHead(entry.class), share);
  });
  const headings = ["record.test", "record.result", "record.time", "record.price"].map((key) => say(key));
  return [
    element("h1", {}, record.title),
    element("h2", {}, say("record.heading")),
    element("p", {}, say("record.answer", { class: record.answer, spent: ofEach(record, (of) => of.cost), cost: ofEach(record, (of) => of.max_cost) })),
    element("p", {}, say("record.at", { time: localTime(record.finished) })),
    tableOf({}, headings, [3], rows),
    tableOf({}, [say("record.class"), say("record.probability")], [1], shares),
    element("p", { class: "quiet" }, say("record.model", { title: record.title, digest: record.model })),
  ];
}

/**
 * The tree and the answers of a saved consultation, or why it is refused.
 * @param {Content} content
 * @param {string} file
 * @param {string} text
 * @returns {Opened}
 */
export function openRecord(content, file, text) {
  let record;
  try {
    record = JSON.parse(text);
  } catch {
    return { refused: say("record.no_json", { file }) };
  }
  if (record?.format !== FORMAT || !Array.isArray(record.steps)) return { refused: say("record.no_record", { file }) };
  const { title, model, version } = record;
  if (version !== VERSION) return { refused: say("record.version", { file, version: String(version) }) };
  const tree = content.trees.findIndex(({ digest }) => digest === model);
  if (tree < 0) return { refused: say("record.other_model", { file, title: String(title), digest: String(model).slice(0, SHORT) }) };
  const index = indexTree(content, content.trees[tree]);
  /** @type {Answer[]} */
  const answers = [];
  for (const step of record.steps) {
    const answer = answerAgain(index, follow(index, answers), step);
    if (!answer) return { refused: say("record.other_answers", { file, test: String(step?.test) }) };
    answers.push(answer);
  }
  return { tree, answers };
}

/**
 * What was answered, or null where the tree would not have asked for it.
 * @param {Index} index
 * @param {State} state
 * @param {SavedStep} step
 * @returns {Answer | null}
 */
function answerAgain(index, state, step) {
  const test = state.open ? testAt(index, state.at) : null;
  if (!test || test.name !== step?.test) return null;
  const time = typeof step.time === "string" && !Number.isNaN(Date.parse(step.time)) ? step.time : undefined;
  const { outcome, measured } = step;
  const charged = step.charged === true ? { charged: true } : {};
  if (!step.available) return { outcome: null, said: say("answers.unavailable_said"), unavailable: true, ...charged, time };
  if (outcome === null) return { outcome, said: say("answers.none_said"), time };
  if (!Number.isInteger(outcome) || !(outcome in test.outcomes)) return null;
  if (measured === undefined) return { outcome, said: test.outcomes[outcome], time };
  const isThere = test.encoding?.kind === "levels" && typeof measured === "number" && levelOf(test.encoding.thresholds, measured) === outcome;
  return isThere ? { outcome, said: amount(measured), measured, time } : null;
}
