// What an evaluation found, where the report has one: figures with their intervals, calibration, net benefit, groups.

import { byId, drawing, element, numberCell, rowHead, tableFrame, tableOf } from "./dom.js";
import { axesOf, niceTicks, pathThrough } from "./chart.js";
import { amount, inUnit, numeral, say } from "./words.js";

/** @import { Content, Corner, Measured } from "./types.d.ts" */

const PLOT = { width: 460, height: 300, left: 56, right: 14, top: 12, bottom: 44 };
const FIGURES = ["sensitivity", "specificity", "ppv", "npv", "auc", "brier", "slope", "intercept"];

/** @param {Content} content */
export function showEvaluation({ evaluation }) {
  byId("tab-evaluation").hidden = !evaluation;
  if (!evaluation) return;
  const { positive, by_class: classes, decision_curve: decisions, subgroups, cost } = evaluation;
  const shown = positive === null ? classes : [classes[positive]];
  /** @type {(names: string[], of: Record<string, any>) => [string, Measured | null][]} */
  const figures = (names, of) => names.map((name) => [say(`evaluation.${name}`), of[name]]);
  const parts = [
    element("h2", {}, say("evaluation.heading")),
    element("p", { class: "prose" }, say(`evaluation.${evaluation.kind}`, { count: evaluation.n, folds: evaluation.n_folds ?? 0, repeats: evaluation.n_repeats ?? 1 })),
    figureTable(say("evaluation.all"), [...figures(["error", "loss", "brier", "log_loss"], evaluation), [say("evaluation.mean_cost"), cost.mean]]),
    ...shown.map((one) => figureTable(one.class, figures(FIGURES, one))),
    ...shown.slice(0, 1).map((one) => curve(say("evaluation.calibration", { class: one.class }), say("evaluation.predicted"), say("evaluation.observed"), [
      { kind: "dashed", corners: [[0, 0], [1, 1]] },
      { kind: "line", corners: one.curve.filter(({ observed }) => observed).map(({ predicted, observed }) => [predicted, observed?.value ?? 0]) },
    ])),
  ];
  if (decisions) {
    const points = decisions.points.filter(({ net_benefit: own }) => own);
    parts.push(curve(say("evaluation.decisions"), say("evaluation.threshold"), say("evaluation.net_benefit"), [
      { kind: "dashed", corners: points.map(({ threshold, treat_all: all }) => [threshold, Math.max(all, 0)]) },
      { kind: "line", corners: points.map(({ threshold, net_benefit: own }) => [threshold, Math.max(own?.value ?? 0, 0)]) },
    ]));
  }
  if (subgroups.length) {
    const rows = subgroups.map((one) => {
      const cells = [one.error, one.sensitivity, one.specificity].map((figure) => numberCell(figureWords(figure)));
      return element("tr", { class: one.is_small ? "quiet" : null }, rowHead(`${one.by}: ${one.group}`), numberCell(amount(one.n)), ...cells);
    });
    const headings = ["evaluation.group", "evaluation.cases", "evaluation.error", "evaluation.sensitivity", "evaluation.specificity"].map((key) => say(key));
    parts.push(element("h3", {}, say("evaluation.groups")), tableFrame(say("evaluation.groups"), tableOf({}, headings, [1, 2, 3, 4], rows)));
  }
  const notes = evaluation.facts.map(({ kind, classes: absent, ...values }) => {
    return element("p", {}, say(`note.${kind}`, { ...values, classes: absent?.join(say("list.comma")) ?? "" }));
  });
  // A paragraph to quote: papers are in English.
  const methods = element("blockquote", { lang: "en" }, element("p", {}, evaluation.methods));
  byId("panel-evaluation").replaceChildren(...parts, ...notes, element("h3", {}, say("evaluation.methods")), element("div", { class: "prose" }, methods));
}

/** "95% (92 to 98)". @param {Measured | null | undefined} figure */
export function figureWords(figure) {
  if (!figure) return say("evaluation.undefined");
  const { value, low, high, unit, digits } = figure;
  /** @type {(number: number) => string} */
  const plain = (number) => (unit === "cost" ? inUnit(Number(number.toFixed(digits))) : numeral((unit === "%" ? 100 * number : number).toFixed(digits)));
  const shown = unit === "%" ? say("number.percent", { share: plain(value) }) : plain(value);
  return low === null || high === null ? shown : say("evaluation.interval", { value: shown, low: plain(low), high: plain(high) });
}

/** @param {string} name @param {[string, Measured | null][]} figures */
function figureTable(name, figures) {
  const rows = figures.filter(([, figure]) => figure).map(([label, figure]) => element("tr", {}, rowHead(label), element("td", {}, figureWords(figure))));
  return element("div", {}, element("h3", {}, name), tableFrame(name, tableOf({ class: "figures" }, [say("evaluation.figure"), say("evaluation.value")], [], rows)));
}

/** @param {string} name @param {string} across @param {string} upright @param {{ kind: string, corners: Corner[] }[]} lines */
function curve(name, across, upright, lines) {
  const corners = lines.flatMap((line) => line.corners);
  const [right, top] = [0, 1].map((at) => Math.max(...corners.map((corner) => corner[at]), 1e-6));
  const { x, y, marks } = axesOf(PLOT, [right, top], niceTicks(top).filter((tick) => tick <= top), [amount, amount], [across, upright]);
  const paths = lines.map(({ kind, corners: own }) => drawing("path", { class: kind === "line" ? "line" : "line dashed", d: pathThrough(own, x, y) }));
  return element("div", {}, element("h3", {}, name), drawing("svg", { viewBox: `0 0 ${PLOT.width} ${PLOT.height}`, class: "plot", role: "img", "aria-label": name }, ...marks, ...paths));
}
