// Every text of the page, by its key, in the language in use: languages/ has a file for each. Numbers as that language
// writes them.

/** @import { Child, Languages } from "./types.d.ts" */

const FIRST = "en"; // where no other is asked for
const GAP = /\{(\w+)\}/;
const PLACE = "{}"; // where the number goes in a unit that says so: "${}"
const spoken = {
  code: FIRST,
  unit: "",
  decimals: /** @type {number | null} */ (null),
  further: /** @type {string[]} */ ([]), // units of the other resources
  languages: /** @type {Languages} */ ({}),
  plurals: new Intl.PluralRules(FIRST),
};

/** @param {string} code @param {Languages} languages */
export function speak(code, languages) {
  spoken.code = code;
  spoken.languages = languages;
  spoken.plurals = new Intl.PluralRules(code);
}

/**
 * The language to speak: asked for in the address, fixed when the page was made, or the reader's.
 * @param {Languages} languages
 * @param {(string | null | undefined)[]} wanted the most wanted first
 */
export function pickLanguage(languages, wanted) {
  const codes = wanted.map((code) => (code ?? "").toLowerCase().split("-")[0]);
  return codes.find((code) => Object.hasOwn(languages, code)) ?? FIRST;
}

/** The form of a text that goes with values.count. @param {string} key @param {Record<string, unknown>} values */
function formOf(key, values) {
  const text = spoken.languages[spoken.code]?.[key] ?? spoken.languages[FIRST]?.[key];
  if (text === undefined) throw new Error(`no text ${key}`);
  if (typeof text === "string") return text;
  return text[spoken.plurals.select(Number(values.count))] ?? text.other;
}

/**
 * A text with its gaps filled; a number is written as the language writes it, and decides between one and many.
 * @param {string} key
 * @param {Record<string, string | number>} values
 */
export function say(key, values = {}) {
  return formOf(key, values).replace(new RegExp(GAP, "g"), (_, name) => written(values[name]));
}

/** @type {(parts: string[]) => string} */
export const listed = (parts) => parts.join(say("list.comma"));

/** @type {(value: string | number) => string} */
const written = (value) => (typeof value === "number" ? amount(value) : value);

/** The same with elements in its gaps. @param {string} key @param {Record<string, string | number | Node>} values @returns {Child[]} */
export function sayParts(key, values) {
  const parts = formOf(key, values).split(new RegExp(GAP, "g"));
  return parts.map((part, at) => {
    const value = at % 2 ? values[part] : part;
    return typeof value === "number" ? amount(value) : value;
  });
}

/** Sums of prices carry float dust (0.1 + 0.2); twelve digits are more than any price list has. @type {(number: number) => number} */
export const clean = (number) => Number(number.toPrecision(12));

/** @type {(number: number) => string} */
export const amount = (number) => numeral(String(clean(number)));

/**
 * @param {string | undefined} unit of prices, in the user's words
 * @param {number | null | undefined} decimals of an amount of money that is not whole
 * @param {string[]} further units of the other resources
 */
export function countIn(unit, decimals = null, further = []) {
  spoken.further = further;
  spoken.unit = unit ?? "";
  spoken.decimals = decimals;
}

/** A price or cost: "12.5", "12.50 €", "$12.50". @type {(number: number) => string} */
export const inUnit = (number) => {
  const { unit, decimals } = spoken;
  const isWhole = decimals === null || Math.abs(number) < 1 || Number.isInteger(clean(number));
  const digits = isWhole ? amount(number) : numeral(number.toFixed(decimals));
  if (!unit) return digits;
  return unit.includes(PLACE) ? unit.split(PLACE).join(digits) : `${digits} ${unit}`;
};

/** What is taken of each resource: "$40 and 25 min". @type {(numbers: number[]) => string} */
export const inUnits = (numbers) => numbers.map((number, at) => (at ? `${amount(number)} ${spoken.further[at - 1]}` : inUnit(number))).join(say("list.and"));

/**
 * A figure of a tree, an index or a state, and of the same for each further resource.
 * @template T
 * @param {T & { further?: T[] }} of
 * @param {(of: T) => number} figure
 */
export const ofEach = (of, figure) => inUnits([of, ...(of.further ?? [])].map(figure));

/** Digits with the language's decimal mark. @type {(digits: string) => string} */
export const numeral = (digits) => digits.replace(".", say("number.decimal"));

/**
 * A number as people type it, with the language's decimal mark or a point; null where it is none, or could be two.
 * @param {string} text
 * @returns {number | null}
 */
export function typedNumber(text) {
  const mark = say("number.decimal");
  const given = text.trim();
  if (mark !== "." && (/^[+-]?\d{1,3}\.\d{3}$/.test(given) || (given.includes(".") && given.includes(mark)))) return null;
  const plain = given.replace(mark, ".");
  return /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(plain) ? Number(plain) : null;
}
