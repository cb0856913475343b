// The drawing of a plan: a box per branch, with what led there above what is done or answered there.

import { classMark, drawing } from "./dom.js";
import { branchesBelow } from "./folding.js";
import { BOX } from "./layout.js";
import { answersOf, isLeaf, stageWords } from "./model.js";
import { amount, listed, say } from "./words.js";

/** @import { Box, Plan, View } from "./types.d.ts" */

const INSET = 9;
const FONTS = { led: "11.5px", name: "600 13px" }; // as in the style sheet
const GUESS = 7.5; // the width of a letter where nothing can measure it

/** @typedef {(text: string) => number} Width */

/**
 * As much of a text as there is room for, and a sign that there is more.
 * @param {string} text
 * @param {number} room
 * @param {Width} widthOf
 */
export function shortened(text, room, widthOf) {
  if (widthOf(text) <= room) return text;
  const letters = [...text];
  const cut = (/** @type {number} */ count) => `${letters.slice(0, count).join("").trimEnd()}\u2026`;
  let [fits, tooMany] = [0, letters.length];
  while (tooMany - fits > 1) {
    const half = (fits + tooMany) >> 1;
    if (widthOf(cut(half)) <= room) fits = half;
    else tooMany = half;
  }
  return cut(fits);
}

/**
 * How wide a text is in the page's letters; a reader's own font may be much wider than ours.
 * @param {string} font size and weight
 * @returns {Width}
 */
function widthIn(font) {
  const pen = document.createElement("canvas").getContext?.("2d");
  if (!pen) return (text) => GUESS * text.length;
  pen.font = `${font} ${getComputedStyle(document.body).fontFamily}`;
  return (text) => pen.measureText(text).width;
}

/** All boxes with the lines between them. @param {View} view @param {Plan} plan */
export function drawBoxes(view, plan) {
  const below = branchesBelow(view.index);
  const widths = { led: widthIn(FONTS.led), name: widthIn(FONTS.name) };
  const lines = drawing("g", { class: "lines" });
  const boxes = drawing("g", { class: "boxes" });
  // The path that costs most comes last, so that it lies above the others.
  const isOnWorst = (/** @type {Box} */ box) => view.worst.groups.has(box.group);
  const sorted = [...plan.boxes.values()].sort((one, other) => Number(isOnWorst(one)) - Number(isOnWorst(other)));
  for (const box of sorted) {
    const above = plan.boxes.get(box.above);
    if (above) lines.append(drawing("path", { d: lineBetween(above, box), class: isOnWorst(box) ? "on-worst" : null }));
    boxes.append(boxOf(view, box, isOnWorst(box), below[box.group], widths));
  }
  return [lines, boxes];
}

/** @param {Box} from @param {Box} to */
function lineBetween(from, to) {
  const [x, y] = [from.x + BOX.width, from.y + BOX.height / 2];
  const bend = (to.x - x) / 2;
  return `M${x} ${y}h${bend}V${to.y + BOX.height / 2}H${to.x}`;
}

/** @param {View} view @param {Box} box @param {boolean} onWorst @param {number} below @param {{ led: Width, name: Width }} widths */
function boxOf({ index }, box, onWorst, below, widths) {
  const { content, nodes, groups } = index;
  const node = nodes[groups[box.group].nodes[0]];
  const led = box.branch ? listed(box.branch.names) : say("consult.first");
  const answers = isLeaf(node) ? answersOf(index, node) : [];
  const label = answers.length === 1 && !answers[0].when ? answers[0].label : null;
  const answered = answers.map(({ label: answer, when }) => [when, content.answers[answer]].filter(Boolean).join(" "));
  const name = isLeaf(node) ? listed(answered) || say("tree.by_model") : stageWords(index, groups[box.group]).asked;
  const kinds = ["box", isLeaf(node) ? "leaf" : "", onWorst ? "on-worst" : "", box.unfolded ? "unfolded" : ""];
  const shape = drawing("g", { class: kinds.filter(Boolean).join(" "), "data-group": box.group, transform: `translate(${box.x} ${box.y})` });
  const inset = label === null ? INSET : INSET + 17;
  const knob = !below ? "" : box.unfolded ? "\u2212" : `+${amount(below)}`;
  const taken = knob ? widths.name(knob) + 2 * INSET : INSET;
  shape.append(
    drawing("title", {}, `${led}: ${name}`),
    drawing("rect", { width: BOX.width, height: BOX.height, rx: 5 }),
    drawing("text", { class: "led", x: INSET, y: 16 }, shortened(led, BOX.width - 2 * INSET, widths.led)),
    drawing("text", { class: "name", x: inset, y: 34 }, shortened(name, BOX.width - inset - taken, widths.name)),
  );
  if (label !== null) {
    const isClass = label < content.classes.length;
    shape.append(classMark(label, isClass, { x: INSET, y: 24, width: 11, height: 11 }));
  }
  if (knob) shape.append(drawing("text", { class: "knob", x: BOX.width - INSET, y: 34, "text-anchor": "end" }, knob));
  return shape;
}

/** The boxes of a drawing. @param {SVGSVGElement} canvas @returns {SVGGElement[]} */
export const boxesShown = (canvas) => [...canvas.querySelectorAll(".box")].map((box) => /** @type {SVGGElement} */ (box));
