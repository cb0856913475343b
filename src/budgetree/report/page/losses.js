// What answers cost: which of them loses least, and the tables of answers by class.

import { className, element, errors, numberCell, rowHead, tableFrame, tableOf } from "./dom.js";
import { amount, clean, say } from "./words.js";

/** @import { Content, Losses, Tree } from "./types.d.ts" */

const MANY = 8; // classes; beyond these, only what is confused most is listed
const MOST_PAIRS = 30;

/** So many significant digits, none of them a closing zero. @type {(number: number, count: number) => string} */
export const digits = (number, count) => amount(Number(number.toPrecision(count)));

/** @type {(numbers: number[]) => number} */
export const firstHighest = (numbers) => numbers.indexOf(Math.max(...numbers));

/**
 * What each answer is expected to lose, in units; classes are added in their order, as problem/losses.py does it.
 * @param {Losses} losses
 * @param {number[]} shares
 */
export function expectedLosses({ units }, shares) {
  const sums = units[0].map(() => 0);
  units.forEach((row, label) => row.forEach((loss, answer) => (sums[answer] += shares[label] * loss)));
  return sums;
}

/**
 * The answer by these probabilities: what loses least, and so the likeliest class; of equals the first.
 * @param {Content} content
 * @param {number[]} shares
 */
export function bestAnswer({ losses }, shares) {
  if (losses === null || losses.plain) return firstHighest(shares);
  const expected = expectedLosses(losses, shares);
  return expected.indexOf(Math.min(...expected));
}

/** What an answer costs cases of these numbers, by class. @param {Losses} losses @param {number[]} counts @param {number} answer */
export const lossOf = (losses, counts, answer) => expectedLosses(losses, counts)[answer] / losses.scale;

/** "12 errors, 40 referred". @type {(found: Pick<Tree, "errors" | "referred">) => string} */
export const errorWords = ({ errors: wrong, referred }) =>
  referred ? say("loss.referred", { errors: errors(wrong), referred }) : errors(wrong);

/**
 * "12 errors", or "loss 84 (12 errors, 40 referred)", as show/text.py has it.
 * @param {Content} content
 * @param {Pick<Tree, "errors" | "referred" | "loss">} found
 */
export function lossWords({ losses }, found) {
  return losses === null ? errors(found.errors) : say("loss.words", { loss: found.loss, errors: errorWords(found) });
}

/**
 * A row per answer and a column per class.
 * @param {Content} content
 * @param {string} label
 * @param {(answer: number, label: number) => number} cell
 */
function answerTable(content, label, cell) {
  const { answers, classes } = content;
  const rows = answers.map((_, answer) => {
    const cells = classes.map((_, place) => {
      const number = cell(answer, place);
      const kind = answer === place ? "number right" : "number";
      return element("td", { class: number ? kind : `${kind} none` }, amount(number));
    });
    return element("tr", {}, rowHead(className(content, answer)), ...cells);
  });
  const table = tableOf({ class: "by-class" }, [say("confusion.answer"), ...classes], classes.map((_, place) => place + 1), rows);
  return tableFrame(label, table);
}

/** How many known cases of each class get each answer. @param {Content} content @param {Tree} tree */
export function confusionParts(content, tree) {
  if (tree.confusion === null) return [];
  const heading = element("h3", {}, say("confusion.heading"));
  if (content.classes.length <= MANY) {
    const counts = new Map(tree.confusion.map(([answer, label, count]) => [`${answer} ${label}`, count]));
    const table = answerTable(content, say("confusion.heading"), (answer, label) => counts.get(`${answer} ${label}`) ?? 0);
    return [heading, element("p", { class: "prose" }, say("confusion.note")), table];
  }
  const confused = tree.confusion.filter(([answer, label]) => answer !== label).sort((one, other) => other[2] - one[2]);
  const rows = confused.slice(0, MOST_PAIRS).map(([answer, label, count]) => {
    const cells = [className(content, label), className(content, answer)].map((name) => element("td", {}, name));
    return element("tr", {}, ...cells, numberCell(amount(count)));
  });
  const rest = confused.length - rows.length;
  const table = tableOf({}, [say("confusion.class"), say("confusion.other"), say("confusion.cases")], [2], rows);
  const note = rest > 0 ? say("confusion.more", { count: rest }) : "";
  return [heading, tableFrame(say("confusion.heading"), table), element("p", { class: "quiet" }, note)];
}

/** What each answer costs for each class. @param {Content} content */
export function lossParts(content) {
  const { losses } = content;
  if (losses === null) return [];
  const heading = element("h3", {}, say("losses.heading"));
  if (content.classes.length > MANY) {
    return [heading, element("p", { class: "prose" }, say("losses.many", { count: content.classes.length }))];
  }
  const table = answerTable(content, say("losses.heading"), (answer, label) => clean(losses.units[label][answer] / losses.scale));
  return [heading, element("p", { class: "prose" }, say("losses.note")), table];
}
