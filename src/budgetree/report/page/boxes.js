// @ts-check
// The drawing of a plan: a box per branch, with what led there above what is done or answered there.

import { classMark, drawing } from "./dom.js";
import { branchesBelow } from "./folding.js";
import { BOX } from "./layout.js";
import { firstHighest } from "./losses.js";
import { isLeaf, nodeShares } from "./model.js";
import { testWords } from "./tree.js";
import { amount, say } from "./words.js";

/**
 * @typedef {import("./types.d.ts").Box} Box
 * @typedef {import("./types.d.ts").Plan} Plan
 * @typedef {import("./types.d.ts").View} View
 */

const INSET = 9;
const LETTERS = { small: 31, large: 26 }; // that fit into a box

/** @type {(text: string, most: number) => string} */
export const shortened = (text, most) => (text.length > most ? `${text.slice(0, most - 1).trimEnd()}\u2026` : text);

/**
 * All boxes with the lines between them.
 * @param {View} view
 * @param {Plan} plan
 */
export function drawBoxes(view, plan) {
  const below = branchesBelow(view.index);
  const lines = drawing("g", { class: "lines" });
  const boxes = drawing("g", { class: "boxes" });
  // The path that costs most comes last, so that it lies above the others.
  const isOnWorst = (/** @type {Box} */ box) => view.worst.groups.has(box.group);
  const sorted = [...plan.boxes.values()].sort((one, other) => Number(isOnWorst(one)) - Number(isOnWorst(other)));
  for (const box of sorted) {
    const above = plan.boxes.get(box.above);
    if (above) lines.append(drawing("path", { d: lineBetween(above, box), class: isOnWorst(box) ? "on-worst" : null }));
    boxes.append(boxOf(view, box, isOnWorst(box), below[box.group]));
  }
  return [lines, boxes];
}

/**
 * @param {Box} from
 * @param {Box} to
 */
function lineBetween(from, to) {
  const [x, y] = [from.x + BOX.width, from.y + BOX.height / 2];
  const bend = (to.x - x) / 2;
  return `M${x} ${y}h${bend}V${to.y + BOX.height / 2}H${to.x}`;
}

/**
 * @param {View} view
 * @param {Box} box
 * @param {boolean} onWorst
 * @param {number} below
 */
function boxOf({ index }, box, onWorst, below) {
  const { content, nodes, groups } = index;
  const at = groups[box.group].nodes[0];
  const node = nodes[at];
  const led = box.branch ? box.branch.names.join(say("list.comma")) : say("consult.first");
  const label = isLeaf(node) ? (index.tree.models ? firstHighest(nodeShares(index, at)) : node.label) : null;
  const name = label === null ? testWords(index, at) : content.answers[label];
  const kinds = ["box", label === null ? "" : "leaf", onWorst ? "on-worst" : "", box.unfolded ? "unfolded" : ""];
  const shape = drawing("g", { class: kinds.filter(Boolean).join(" "), "data-group": box.group, transform: `translate(${box.x} ${box.y})` });
  const inset = label === null ? INSET : INSET + 17;
  shape.append(
    drawing("title", {}, `${led}: ${name}`),
    drawing("rect", { width: BOX.width, height: BOX.height, rx: 5 }),
    drawing("text", { class: "led", x: INSET, y: 16 }, shortened(led, LETTERS.small)),
    drawing("text", { class: "name", x: inset, y: 34 }, shortened(name, LETTERS.large)),
  );
  if (label !== null) {
    const isClass = label < content.classes.length;
    shape.append(classMark(label, isClass, { x: INSET, y: 24, width: 11, height: 11 }));
  }
  if (below) {
    const knob = box.unfolded ? "\u2212" : `+${amount(below)}`;
    shape.append(drawing("text", { class: "knob", x: BOX.width - 7, y: 34, "text-anchor": "end" }, knob));
  }
  return shape;
}

/**
 * The boxes of a drawing.
 * @param {SVGSVGElement} canvas
 * @returns {SVGGElement[]}
 */
export const boxesShown = (canvas) => [...canvas.querySelectorAll(".box")].map((box) => /** @type {SVGGElement} */ (box));
