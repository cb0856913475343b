// Elements, numbers and the marks of classes. Text enters the page here, and only as text.

import { amount, clean, inUnit, numeral, say } from "./words.js";

/** @import { Attributes, Child, Content } from "./types.d.ts" */

const SVG = "http://www.w3.org/2000/svg";
const HUES = 7; // with 6 shapes, no two of the first 42 classes look alike
const MANY_CLASSES = 12; // of more than these only the largest are listed
const MAX_CLASSES = 5; // that are listed then
const SHAPES = [
  "M6 1a5 5 0 1 0 0 10a5 5 0 1 0 0-10z", // circle
  "M1.5 1.5h9v9h-9z", // square
  "M6 .8L11.5 10.8H.5z", // triangle
  "M6 0L12 6L6 12L0 6z", // diamond
  "M4 .5h4v3.5h3.5v4H8v3.5H4V8H.5V4H4z", // cross
  "M.5 1.2h11L6 11.2z", // triangle, point down
];

/** @type {Record<string, string>} */
const ESCAPES = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

const RING = "M6 .5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11zM6 3a3 3 0 1 1 0 6a3 3 0 1 1 0-6z"; // an answer that is not a class

/** @type {(id: string) => HTMLElement} */
export const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @template {Element} E @param {E} node @param {Attributes} attributes @param {Child[]} children @returns {E} */
function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, visible(String(value)));
  }
  for (const child of children) {
    if (child !== null && child !== undefined) node.append(typeof child === "string" ? visible(child) : child);
  }
  return node;
}

/**
 * A name as what it is: letters that turn the line round, hide or control are escaped, as services/words.py does it.
 * @param {string} text
 */
export function visible(text) {
  return text.replace(/[\p{C}\u2028\u2029]/gu, (letter) => {
    if (letter in ESCAPES) return ESCAPES[letter];
    const code = letter.codePointAt(0) ?? 0;
    if (code === 0x200c || code === 0x200d) return letter; // Persian words and emoji are written with them
    if (code > 0xffff) return `\\U${code.toString(16).padStart(8, "0")}`;
    return code > 0xff ? `\\u${code.toString(16).padStart(4, "0")}` : `\\x${code.toString(16).padStart(2, "0")}`;
  });
}

/** A text where the page has a place for it. @param {string} id @param {string} text */
export function put(id, text) {
  byId(id).textContent = visible(text);
}

/**
 * Where the largest numbers stand, the largest first, and how many more there are above 0; all in their order where
 * they fit.
 * @param {number[]} sizes
 * @param {number} most
 */
export function largest(sizes, most = MAX_CLASSES) {
  const found = [...sizes.keys()].filter((place) => sizes[place] > 0);
  const more = Math.max(found.length - most, 0);
  if (more) found.sort((one, other) => sizes[other] - sizes[one] || one - other);
  return { places: found.slice(0, most), more };
}

/** @template {keyof HTMLElementTagNameMap} K @param {K} tag @param {Attributes} attributes @param {...Child} children */
export function element(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** @template {keyof SVGElementTagNameMap} K @param {K} tag @param {Attributes} attributes @param {...Child} children */
export function drawing(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/**
 * A table with a heading per column; those in `numbers` stand to the right.
 * @param {Attributes} attributes
 * @param {string[]} headings
 * @param {number[]} numbers
 * @param {Child[]} rows
 */
export function tableOf(attributes, headings, numbers, rows) {
  const cells = headings.map((text, at) => {
    return element("th", { scope: "col", class: numbers.includes(at) ? "number" : null }, text);
  });
  const head = element("thead", {}, element("tr", {}, ...cells));
  return element("table", attributes, head, element("tbody", {}, ...rows));
}

/** A table that may be wider than the screen: it scrolls by keys, too. @param {string} label @param {HTMLTableElement} table */
export function tableFrame(label, table) {
  return element("div", { class: "table-frame wide", tabindex: "0", role: "region", "aria-label": label }, table);
}

/** @type {(attributes: Attributes, ...children: Child[]) => HTMLButtonElement} */
export const buttonOf = (attributes, ...children) => element("button", { type: "button", ...attributes }, ...children);

/** @type {(...children: Child[]) => HTMLElement} */
export const numberCell = (...children) => element("td", { class: "number" }, ...children);

/** @type {(...children: Child[]) => HTMLElement} */
export const rowHead = (...children) => element("th", { scope: "row" }, ...children);

/** Means and ratios have endless digits: four of them do. @type {(number: number) => string} */
export const rounded = (number) => amount(significant(number));

/** All digits where these are few, as services/words.py shows it. @type {(number: number) => string} */
export const short = (number) => (Number(number.toPrecision(10)) === clean(number) ? amount(number) : rounded(number));

/** @type {(number: number) => number} */
export const significant = (number) => Number(number >= 1000 ? number.toFixed(1) : number.toPrecision(4));

/** "100.0%" and "0.0%" are said only where they are true. @param {number} part @param {number} whole */
export function percent(part, whole) {
  const share = whole ? (100 * part) / whole : 0;
  if (share > 99.9 && part !== whole) return say("number.over", { share: 99.9 });
  if (share > 0 && share < 0.1) return say("number.under", { share: 0.1 });
  return say("number.percent", { share: Number(share.toFixed(1)) });
}

/** So many percent of one, with one decimal: "44.7". @type {(share: number) => string} */
export const percentage = (share) => numeral((100 * share).toFixed(1));

/** @type {(count: number) => string} */
export const cases = (count) => say("count.cases", { count });

/** @type {(count: number) => string} */
export const errors = (count) => say("count.errors", { count });

/** @type {(low: number, high: number) => string} */
export const span = (low, high) =>
  amount(low) === amount(high) ? inUnit(low) : say("number.span", { low: inUnit(low), high: inUnit(high) });

/** @type {(words: string) => string} */
export const capital = (words) => words.charAt(0).toUpperCase() + words.slice(1);

/** @type {(counts: number[]) => number} */
export const total = (counts) => clean(counts.reduce((sum, count) => sum + count, 0));

/**
 * A class by shape and colour, another answer by a grey ring; its name always stands beside it.
 * @param {number} label
 * @param {boolean} isClass
 * @param {Attributes} place
 */
export function classMark(label, isClass, place = {}) {
  const shape = drawing("path", { d: isClass ? SHAPES[label % SHAPES.length] : RING });
  const hue = isClass ? label % HUES : "none";
  return drawing("svg", { class: `mark hue-${hue}`, viewBox: "0 0 12 12", "aria-hidden": "true", ...place }, shape);
}

/** A class, or an answer that is none, by its place in content.answers. @param {Content} content @param {number} label */
export function className(content, label) {
  const mark = classMark(label, label < content.classes.length);
  return element("span", { class: "class-name" }, mark, content.answers[label]);
}

/** @type {(label: number) => string} */
const colourOf = (label) => `hue-${label % HUES} pattern-${label % SHAPES.length}`;

/**
 * A thin bar with one segment per class, told apart by colour and by pattern; of many classes all but the five largest
 * share a grey one.
 * @param {number[]} counts
 */
export function stackedBar(counts) {
  const bar = element("span", { class: "stack", "aria-hidden": "true" });
  const all = total(counts);
  const { places, more } = largest(counts, counts.length > MANY_CLASSES ? MAX_CLASSES : counts.length);
  let rest = all;
  /** @type {(kind: string, count: number) => void} */
  const add = (kind, count) => {
    const part = element("span", { class: kind });
    part.style.flexGrow = String(count / all);
    bar.append(part);
    rest -= count;
  };
  for (const label of places) add(colourOf(label), counts[label]);
  if (more) add("hue-none", clean(rest));
  return bar;
}

/**
 * One bar per class; of many classes the five largest. `before` (what the last step left) shows as a tick, so that
 * narrowing can be seen.
 * @param {Content} content
 * @param {number[]} counts
 * @param {number[] | null} before
 * @param {boolean} areCases false for probabilities
 */
export function classBars(content, counts, before = null, areCases = true) {
  const all = total(counts);
  const allBefore = before ? total(before) : 0;
  const list = element("ul", { class: "bars" });
  const many = content.classes.length > MANY_CLASSES;
  const { places, more } = many ? largest(counts) : { places: [...counts.keys()], more: 0 };
  for (const label of places) {
    const count = counts[label];
    const bar = element("span", { class: `bar ${colourOf(label)}` });
    bar.style.width = `${all ? (100 * count) / all : 0}%`;
    const track = element("span", { class: "track", "aria-hidden": "true" }, bar);
    if (before && allBefore) {
      const tick = element("span", { class: "tick" });
      tick.style.left = `${(100 * before[label]) / allBefore}%`;
      track.append(tick);
    }
    const figures = element("span", { class: "figures" }, areCases ? say("bars.figures", { share: percent(count, all), amount: count }) : percent(count, all));
    list.append(element("li", { class: count ? null : "ruled-out" }, className(content, label), figures, track));
  }
  if (more) list.append(element("li", { class: "quiet" }, say("bars.more", { count: more })));
  const absent = counts.filter((count) => !count).length;
  if (many && absent) list.append(element("li", { class: "quiet" }, say("bars.absent", { count: absent })));
  return list;
}

/** Print the part of this name, and nothing else; the style knows the parts. @param {"record" | "wall"} part */
export function printOnly(part) {
  const { dataset } = document.body;
  dataset.print = part;
  window.addEventListener("afterprint", () => delete dataset.print, { once: true });
  window.print();
}
