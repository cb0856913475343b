// @ts-check
// The frontier: a step chart of errors (or loss) against the budget, and the same points as a table. Both pick a tree.

import { amount, byId, capital, cases, clean, drawing, element, percent, say, tableOf, total } from "./dom.js";
import { digits, lossWords } from "./losses.js";

/**
 * @typedef {import("./types.d.ts").Content} Content
 * @typedef {import("./types.d.ts").Corner} Corner
 * @typedef {import("./types.d.ts").Point} Point
 * @typedef {import("./types.d.ts").Steps} Steps
 */

const CHART = { height: 300, left: 52, right: 18, top: 14, bottom: 46 };

/**
 * pick(point number) is called when a point is chosen; the returned function marks the one in use.
 * @param {Content} content
 * @param {(at: number) => void} pick
 * @returns {(at: number) => void}
 */
export function showFrontier(content, pick) {
  byId("frontier").hidden = false;
  const points = content.points;
  const all = total(content.trees[points[0].tree].nodes[0].counts);
  const hasLosses = content.losses !== null;
  const table = pointTable(points, hasLosses, pick);
  byId("points-frame").replaceChildren(table.node);
  byId("key-new").hidden = points.every((point) => point.new_error === null);
  if (hasLosses) {
    byId("key-found").textContent = "least loss found within the budget";
    byId("key-bars").textContent = "what as many new cases would lose, ± the standard error";
  }
  say("judgement", content.judgement?.[0] ? `${capital(content.judgement[0])}.` : "");
  let chosen = 0;
  let width = 0;
  let chart = draw();

  function draw() {
    width = byId("chart").clientWidth || 640;
    const drawn = stepChart(content, width, pick, (at) => readOut(content, points[at ?? chosen], all));
    byId("chart").replaceChildren(drawn.node);
    drawn.mark(chosen);
    return drawn;
  }
  // Drawn again rather than scaled, so that its text keeps its size on a phone.
  new ResizeObserver(() => {
    if (Math.abs(byId("chart").clientWidth - width) > 1 && byId("chart").clientWidth) chart = draw();
  }).observe(byId("chart"));
  return (at) => {
    chosen = at;
    chart.mark(at);
    table.mark(at);
    readOut(content, points[at], all);
  };
}

/** @type {(point: Point) => string} */
const boundOf = (point) => (point.proven ? "proven" : `at least ${amount(point.lower_bound)} with any tree`);

/** @type {(point: Point) => string} */
const newShare = (point) =>
  point.new_error === null || point.new_error_se === null
    ? "not known"
    : `${(100 * point.new_error).toFixed(1)}% ± ${(100 * point.new_error_se).toFixed(1)}`;

/** @type {(point: Point) => string | null} */
const newLoss = ({ new_loss: loss, new_loss_se: se }) =>
  loss === null || se === null ? null : `${digits(loss, 3)} ± ${digits(se, 2)}`;

/** @type {(point: Point) => string} */
function expectedOf(point) {
  if (point.new_error === null) return "";
  const loss = newLoss(point);
  return `New cases: ${loss === null ? "" : `loss ${loss} a case, `}${newShare(point)} wrong`;
}

/**
 * @param {Content} content
 * @param {Point} point
 * @param {number} all
 */
function readOut(content, point, all) {
  const share = content.losses === null ? ` (${percent(point.errors, all)})` : "";
  byId("readout").replaceChildren(
    element("strong", {}, `Budget ${amount(point.max_cost)}: ${lossWords(content, point)}${share}`),
    `, ${boundOf(point)}; by ${point.source}`,
    element("br", {}),
    expectedOf(point),
  );
  say("verdict", point.verdict ? `${capital(point.verdict)}.` : "");
}

/**
 * @param {Content} content
 * @param {number} width
 * @param {(at: number) => void} pick
 * @param {(at: number | null) => void} hover
 */
function stepChart(content, width, pick, hover) {
  const { points } = content;
  const { loss: line, bound } = /** @type {Steps} */ (content.steps);
  const all = total(content.trees[points[0].tree].nodes[0].counts);
  const right = points[points.length - 1].max_cost || 1;
  // Bars for new cases are shares of as many cases as there are known ones.
  const bars = points.map((point) => {
    const { new_error: error, new_error_se: se, new_loss: loss, new_loss_se: lossSe } = point;
    return (content.losses === null ? [error, se] : [loss, lossSe]).map((mean) => (mean ?? 0) * all);
  });
  const high = Math.max(points[0].loss, ...bars.map(([middle, se]) => middle + se)) || 1;
  const ticks = niceTicks(high);
  const peak = Math.max(high, ticks[ticks.length - 1]);
  /** @type {(cost: number) => number} */
  const x = (cost) => CHART.left + ((width - CHART.left - CHART.right) * cost) / right;
  /** @type {(count: number) => number} */
  const y = (count) => CHART.height - CHART.bottom - ((CHART.height - CHART.top - CHART.bottom) * count) / peak;
  const axis = content.losses === null ? "errors" : "loss";
  const label = `${capital(axis)} against the budget, ${points.length} points. Arrow keys move between points, Enter picks one.`;
  const chart = drawing("svg", {
    viewBox: `0 0 ${width} ${CHART.height}`,
    role: "group",
    "aria-label": label,
    click: (event) => !event.target.closest(".point") && pick(pointUnder(event)),
    pointermove: (event) => hover(pointUnder(event)),
    pointerleave: () => hover(null),
  });

  /**
   * Anywhere in the chart stands for a budget, which buys the last point at or before it.
   * @param {MouseEvent} event
   * @returns {number}
   */
  function pointUnder(event) {
    const box = chart.getBoundingClientRect();
    const at = ((event.clientX - box.left) / box.width) * width;
    const bought = points.filter((point) => x(point.max_cost) <= at + 6);
    return Math.max(bought.length - 1, 0);
  }

  for (const tick of ticks) {
    chart.append(
      drawing("line", { class: "grid", x1: CHART.left, x2: width - CHART.right, y1: y(tick), y2: y(tick) }),
      drawing("text", { x: CHART.left - 8, y: y(tick) + 4, "text-anchor": "end" }, amount(tick)),
    );
  }
  for (const tick of niceTicks(right)) {
    if (tick > right) continue;
    chart.append(
      drawing("text", { x: x(tick), y: CHART.height - CHART.bottom + 18, "text-anchor": "middle" }, amount(tick)),
    );
  }
  chart.append(
    drawing("path", { class: "area", d: `${pathThrough([[0, 0], ...bound, [right, 0]], x, y)}Z` }),
    drawing("path", { class: "line", d: pathThrough(line, x, y) }),
    drawing("text", { class: "axis", x: width - CHART.right, y: CHART.height - 6, "text-anchor": "end" }, "budget: no case costs more"),
    drawing("text", { class: "axis", x: 2, y: CHART.height - 6 }, `${axis} of ${cases(all)}`),
  );
  points.forEach((point, at) => {
    if (point.new_error === null) return;
    const [middle, se] = bars[at];
    const [from, to] = [y(Math.max(middle - se, 0)), y(middle + se)];
    const [place, wide] = [x(point.max_cost), points.length > 60 ? 2 : 4];
    const marks = [from, to, y(middle)].map((height) => `M${place - wide} ${height}h${2 * wide}`);
    chart.append(drawing("path", { class: "new-error", d: `M${place} ${from}V${to}${marks.join("")}` }));
  });
  const dots = points.map((point, at) => {
    const dot = drawing(
      "g",
      {
        class: point.proven ? "point proven" : "point",
        role: "button",
        tabindex: "-1",
        "data-point": at,
        "aria-label": [`Budget ${amount(point.max_cost)}`, lossWords(content, point), boundOf(point), expectedOf(point)].filter(Boolean).join(", "),
        click: () => pick(at),
        focus: () => hover(at),
        blur: () => hover(null),
        keydown: (event) => moveOrPick(event, at),
      },
      drawing("circle", { class: "halo", cx: x(point.max_cost), cy: y(point.loss), r: 11 }),
      drawing("circle", { class: "dot", cx: x(point.max_cost), cy: y(point.loss), r: points.length > 60 ? 3 : 5 }),
    );
    chart.append(dot);
    return dot;
  });

  /**
   * @param {KeyboardEvent} event
   * @param {number} at
   */
  function moveOrPick(event, at) {
    const last = dots.length - 1;
    /** @type {Record<string, number>} */
    const target = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: last };
    if (event.key === "Enter" || event.key === " ") pick(at);
    else if (event.key in target) dots[Math.min(Math.max(target[event.key], 0), last)].focus();
    else return;
    event.preventDefault();
  }

  /** @param {number} chosen */
  function mark(chosen) {
    dots.forEach((dot, at) => {
      dot.setAttribute("aria-pressed", String(at === chosen));
      dot.setAttribute("tabindex", at === chosen ? "0" : "-1");
    });
  }
  return { node: chart, mark };
}

/**
 * A line through corners, which the summary lists.
 * @param {Corner[]} corners
 * @param {(budget: number) => number} x
 * @param {(errors: number) => number} y
 */
export function pathThrough(corners, x, y) {
  return corners.map(([budget, count], at) => `${at ? "L" : "M"}${x(budget)} ${y(count)}`).join("");
}

/**
 * Round numbers from 0 to at least the top.
 * @param {number} top
 */
export function niceTicks(top) {
  const rough = top / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough * 0.999) ?? rough;
  return Array.from({ length: Math.ceil(top / step - 1e-9) + 1 }, (_, at) => clean(at * step));
}

/**
 * @param {Point[]} points
 * @param {boolean} hasLosses
 * @param {(at: number) => void} pick
 */
function pointTable(points, hasLosses, pick) {
  const lost = hasLosses ? ["Loss"] : [];
  const rate = hasLosses ? [] : ["Rate"]; // where cases are referred, it says little
  const referred = points.some((point) => point.referred) ? ["Referred"] : [];
  const isJudged = points.some((point) => point.new_error !== null);
  const rows = points.map((point, at) => {
    const button = element("button", { type: "button", class: "link", "data-point": at }, amount(point.max_cost));
    button.setAttribute("aria-label", `Show the tree for a budget of ${amount(point.max_cost)}`);
    return element(
      "tr",
      { click: () => pick(at) },
      element("td", { class: "number" }, button),
      ...lost.map(() => element("td", { class: "number" }, amount(point.loss))),
      element("td", { class: "number" }, amount(point.errors)),
      ...referred.map(() => element("td", { class: "number" }, amount(point.referred))),
      ...rate.map(() => element("td", { class: "number" }, `${(100 * point.error_rate).toFixed(2)}%`)),
      ...(isJudged ? [element("td", { class: point.overfitted ? "number overfitted" : "number" }, newLoss(point) ?? newShare(point))] : []),
      element("td", {}, point.proven ? "proven" : `at least ${amount(point.lower_bound)}`),
    );
  });
  /** @param {number} chosen */
  const mark = (chosen) => {
    rows.forEach((row, at) => {
      row.classList.toggle("chosen", at === chosen);
      row.querySelector("button")?.setAttribute("aria-pressed", String(at === chosen));
    });
  };
  const numbers = ["Budget", ...lost, "Errors", ...referred, ...rate, ...(isJudged ? ["New cases"] : [])];
  return { node: tableOf({ class: hasLosses ? "points lossy" : "points" }, [...numbers, "Proof"], [...numbers.keys()], rows), mark };
}
