// The frontier: a step chart of errors (or loss) against the budget, and the same points as a table. Both pick a tree.

import { buttonOf, byId, cases, drawing, element, numberCell, percent, percentage, put, tableOf, total } from "./dom.js";
import { digits, lossWords } from "./losses.js";
import { amount, clean, inUnit, listed, numeral, say } from "./words.js";

/** @import { Content, Corner, Point, Steps } from "./types.d.ts" */

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
  byId("key-proven").hidden = (content.steps?.bound ?? []).every(([, bound]) => !bound); // nothing is shaded
  const isJudged = isAboutNew(content);
  byId("key-new").hidden = isJudged || points.every((point) => point.new_error === null);
  byId("key-thin").hidden = !isJudged;
  const line = isJudged ? "judged" : content.for_new ? "for_new" : "found";
  for (const [id, key] of [["key-found", line], ["key-known", "thin"], ["key-bars", "new"]]) put(id, say(`chart.${key}${hasLosses ? "_loss" : ""}`));
  put("judgement", validationWords(content));
  put("advice", adviceOf(content));
  const last = points.length - 1;
  byId("budget-less").addEventListener("click", () => pick(Math.max(chosen - 1, 0)));
  byId("budget-more").addEventListener("click", () => pick(Math.min(chosen + 1, last)));
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
    put("budget-now", inUnit(points[at].budget));
    /** @type {[string, number][]} */
    const ends = [["budget-less", 0], ["budget-more", last]];
    for (const [id, end] of ends) /** @type {HTMLButtonElement} */ (byId(id)).disabled = at === end;
    table.mark(at);
    readOut(content, points[at], all);
  };
}

/** Whether the chart is about new cases: of trees for these, where their error is known of every budget. @param {Content} content */
const isAboutNew = ({ for_new: isForNew, points }) => Boolean(isForNew) && points.every((point) => point.new_error !== null);

/** @type {(content: Content) => string} */
function adviceOf({ advice, points }) {
  if (!advice) return "";
  const { recommended, enough } = advice;
  if (recommended === null) return say("chart.none_recommended");
  const budget = inUnit(points[enough].budget);
  return [say("chart.recommended", { budget }), enough < points.length - 1 && say("chart.no_more", { budget })]
    .filter(Boolean)
    .join(" ");
}

/** What is proven of other trees, where anything is. @param {Point} point */
const boundsOf = ({ proven, lower_bound: bound }) =>
  proven ? [say("chart.is_proven")] : bound ? [say("chart.at_least", { bound })] : [];

/** @type {(point: Point) => string} */
const newShare = (point) =>
  point.new_error === null || point.new_error_se === null
    ? say("chart.unknown")
    : say("chart.new_share", { share: percentage(point.new_error), se: percentage(point.new_error_se) });

/** @type {(point: Point) => string | null} */
function newLoss({ new_loss: loss, new_loss_se: se }) {
  if (loss === null || se === null) return null;
  const decimals = Math.min(Math.max(2 - Math.floor(Math.log10(loss || 1)), 0), 3);
  const [mean, error] = [loss, se].map((number) => numeral(number.toFixed(decimals)));
  return say("number.plus_minus", { mean, se: error });
}

/** @type {(point: Point) => string} */
function expectedOf(point) {
  if (point.new_error === null) return "";
  const loss = newLoss(point);
  const share = newShare(point);
  return loss === null ? say("chart.new_wrong", { share }) : say("chart.new_lost", { loss, share });
}

/** @param {Content} content @param {Point} point @param {number} all */
function readOut(content, point, all) {
  const found = { budget: inUnit(point.budget), errors: lossWords(content, point), share: percent(point.errors, all) };
  byId("readout").replaceChildren(
    element("strong", {}, say(content.losses === null ? "chart.readout_share" : "chart.readout", found)),
    listed(["", ...boundsOf(point), say(`method.${content.trees[point.tree].origin.method}`)]),
    element("br", {}),
    expectedOf(point),
  );
  put("verdict", overfittedWords(content, point, all));
}

/** That a tree knows its table by heart, and what to do; nothing where it does not. @param {Content} content @param {Point} point @param {number} all */
function overfittedWords(content, point, all) {
  if (!point.overfitted) return "";
  const loss = newLoss(point);
  const remedy = say(content.for_new ? "overfitted.expect" : "overfitted.remedy");
  if (loss !== null) return say("overfitted.loss", { known: digits(point.loss / all, 3), mean: loss, remedy });
  return say("overfitted.error", { known: percentage(point.error_rate), mean: newShare(point), remedy });
}

/** How the errors on new cases came about. @param {Content} content */
function validationWords({ validation }) {
  if (!validation) return "";
  const { n_folds: count, n_done: done, n_rows: rows, is_hold_out: isHoldOut, n_copies: copies } = validation;
  const kind = !done ? "no_time" : isHoldOut ? "held_out" : done < count ? "folds_left_out" : "folds";
  const how = say(`validation.${kind}`, { rows, done, count, missing: count - done });
  return say("validation.sentence", { how: copies ? say("validation.copies", { how, count: copies }) : how });
}

/** @param {Content} content @param {number} width @param {(at: number) => void} pick @param {(at: number | null) => void} hover */
function stepChart(content, width, pick, hover) {
  const { points } = content;
  const { loss: line, bound } = /** @type {Steps} */ (content.steps);
  const all = total(content.trees[points[0].tree].nodes[0].counts);
  const right = points[points.length - 1].budget || 1;
  // Bars for new cases are shares of as many cases as there are known ones.
  const bars = points.map((point) => {
    const { new_error: error, new_error_se: se, new_loss: loss, new_loss_se: lossSe } = point;
    return (content.losses === null ? [error, se] : [loss, lossSe]).map((mean) => (mean ?? 0) * all);
  });
  const isJudged = isAboutNew(content);
  const high = Math.max(points[0].loss, ...bars.map(([middle, se]) => middle + se)) || 1;
  const ticks = isJudged ? niceTicks((100 * high) / all).map((share) => (share * all) / 100) : niceTicks(high);
  const peak = Math.max(high, ticks[ticks.length - 1]);
  const axis = content.losses === null ? "errors" : "loss";
  const upright = say(`chart.${axis}_${isJudged ? "share" : "axis"}`, { cases: cases(all) });
  const beside = (/** @type {number} */ tick) => (!isJudged ? amount(tick) : content.losses === null ? percent(tick, all) : amount(tick / all));
  const { x, y, marks } = axesOf({ width, ...CHART }, [right, peak], ticks, [inUnit, beside], [say("chart.budget_axis"), upright]);
  const chart = drawing("svg", {
    viewBox: `0 0 ${width} ${CHART.height}`,
    role: "group",
    "aria-label": say(`chart.label_${axis}`, { count: points.length }),
    click: (event) => !event.target.closest(".point") && pick(pointUnder(event)),
    pointermove: (event) => hover(pointUnder(event)),
    pointerleave: () => hover(null),
  });

  /** Anywhere in the chart stands for a budget, which buys the last point at or before it. @param {MouseEvent} event @returns {number} */
  function pointUnder(event) {
    const box = chart.getBoundingClientRect();
    const at = ((event.clientX - box.left) / box.width) * width;
    const bought = points.filter((point) => x(point.budget) <= at + 6);
    return Math.max(bought.length - 1, 0);
  }

  chart.append(
    ...ticks.map((tick) => drawing("line", { class: "grid", x1: CHART.left, x2: width - CHART.right, y1: y(tick), y2: y(tick) })),
    ...marks,
    drawing("path", { class: "area", d: `${pathThrough([[0, 0], ...bound, [right, 0]], x, y)}Z` }),
    isJudged ? drawing("path", { class: "band", d: bandOf(points.map((point, at) => [point.budget, ...bars[at]]), right, x, y) }) : "",
    isJudged ? drawing("path", { class: "line", d: pathThrough(stepsOf(points.map((point, at) => [point.budget, bars[at][0]]), right), x, y) }) : "",
    drawing("path", { class: isJudged ? "line thin" : "line", d: pathThrough(line, x, y) }),
  );
  points.forEach((point, at) => {
    if (isJudged || point.new_error === null) return;
    const [middle, se] = bars[at];
    const [from, to] = [y(Math.max(middle - se, 0)), y(middle + se)];
    const [place, wide] = [x(point.budget), points.length > 60 ? 2 : 4];
    const marks = [from, to, y(middle)].map((height) => `M${place - wide} ${height}h${2 * wide}`);
    chart.append(drawing("path", { class: "new-error", d: `M${place} ${from}V${to}${marks.join("")}` }));
  });
  const dots = points.map((point, at) => {
    const height = y(isJudged ? bars[at][0] : point.loss);
    const dot = drawing(
      "g",
      {
        class: point.proven ? "point proven" : "point",
        role: "button",
        tabindex: "-1",
        "data-point": at,
        "aria-label": listed([say("chart.point", { budget: inUnit(point.budget) }), lossWords(content, point), ...boundsOf(point), expectedOf(point)].filter(Boolean)),
        click: () => pick(at),
        focus: () => hover(at),
        blur: () => hover(null),
        keydown: (event) => moveOrPick(event, at),
      },
      drawing("circle", { class: "halo", cx: x(point.budget), cy: height, r: 11 }),
      drawing("circle", { class: "dot", cx: x(point.budget), cy: height, r: points.length > 60 ? 3 : 5 }),
    );
    chart.append(dot);
    return dot;
  });

  /** @param {KeyboardEvent} event @param {number} at */
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

/** The corners of a line that has a value from each budget on. @param {Corner[]} starts @param {number} right @returns {Corner[]} */
const stepsOf = (starts, right) =>
  starts.flatMap(([budget, value], at) => [[budget, value], [starts[at + 1]?.[0] ?? right, value]]);

/**
 * The room between a mean less and plus its standard error.
 * @param {number[][]} points budget, mean and standard error
 * @param {number} right
 * @param {(budget: number) => number} x
 * @param {(errors: number) => number} y
 */
function bandOf(points, right, x, y) {
  const edge = (/** @type {number} */ sign) => stepsOf(points.map(([budget, mean, se]) => [budget, Math.max(mean + sign * se, 0)]), right);
  return `${pathThrough([...edge(1), ...edge(-1).reverse()], x, y)}Z`;
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
 * Where values are in a plot, and what stands along its edges: numbers, and the names of the axes.
 * @param {{ width: number, height: number, left: number, right: number, top: number, bottom: number }} plot
 * @param {number[]} ends the largest values, across and upright
 * @param {number[]} ticks upright
 * @param {((value: number) => string)[]} written
 * @param {string[]} names
 */
export function axesOf(plot, [across, upright], ticks, [below, beside], names) {
  const [right, floor] = [plot.width - plot.right, plot.height - plot.bottom];
  /** @type {(value: number) => number} */
  const x = (value) => plot.left + ((right - plot.left) * value) / across;
  /** @type {(value: number) => number} */
  const y = (value) => floor - ((floor - plot.top) * value) / upright;
  /** @type {(at: number, down: number, anchor: string, words: string) => SVGElement} */
  const text = (at, down, anchor, words) => drawing("text", { x: at, y: down, "text-anchor": anchor }, words);
  const marks = [
    ...ticks.map((tick) => text(plot.left - 8, y(tick) + 4, "end", beside(tick))),
    ...niceTicks(across).filter((tick) => tick <= across).map((tick) => text(x(tick), floor + 18, "middle", below(tick))),
    text(right, plot.height - 6, "end", names[0]),
    text(2, plot.height - 6, "start", names[1]),
  ];
  return { x, y, marks };
}

/** Round numbers from 0 to at least the top. @param {number} top */
export function niceTicks(top) {
  const rough = top / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough * 0.999) ?? rough;
  return Array.from({ length: Math.ceil(top / step - 1e-9) + 1 }, (_, at) => clean(at * step));
}

/** @param {Point[]} points @param {boolean} hasLosses @param {(at: number) => void} pick */
function pointTable(points, hasLosses, pick) {
  const lost = hasLosses ? [say("points.loss")] : [];
  const rate = hasLosses ? [] : [say("points.rate")]; // where cases are referred, it says little
  const referred = points.some((point) => point.referred) ? [say("points.referred")] : [];
  const isJudged = points.some((point) => point.new_error !== null);
  const proof = points.some((point) => boundsOf(point).length) ? [say("points.proof")] : [];
  const rows = points.map((point, at) => {
    const button = buttonOf({ class: "link", "data-point": at, "aria-label": say("points.show", { budget: inUnit(point.budget) }) }, inUnit(point.budget));
    return element(
      "tr",
      { click: () => pick(at) },
      numberCell(button),
      ...lost.map(() => numberCell(amount(point.loss))),
      numberCell(amount(point.errors)),
      ...referred.map(() => numberCell(amount(point.referred))),
      ...rate.map(() => numberCell(say("number.percent", { share: numeral((100 * point.error_rate).toFixed(2)) }))),
      ...(isJudged ? [element("td", { class: point.overfitted ? "number overfitted" : "number" }, newLoss(point) ?? newShare(point))] : []),
      ...proof.map(() => element("td", {}, boundsOf(point)[0] ?? say("chart.unknown"))),
    );
  });
  /** @param {number} chosen */
  const mark = (chosen) => {
    rows.forEach((row, at) => {
      row.classList.toggle("chosen", at === chosen);
      row.querySelector("button")?.setAttribute("aria-pressed", String(at === chosen));
    });
  };
  const numbers = [say("points.budget"), ...lost, say("points.errors"), ...referred, ...rate, ...(isJudged ? [say("points.new")] : [])];
  return { node: tableOf({ class: hasLosses ? "points lossy" : "points" }, [...numbers, ...proof], [...numbers.keys()], rows), mark };
}
