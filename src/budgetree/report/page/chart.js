// The frontier: a step chart of errors against the budget, and the same points as a table. Both pick a tree.

const CHART = { height: 300, left: 52, right: 18, top: 14, bottom: 46 };

// pick(point number) is called when a point is chosen; the returned function marks the one in use.
function showFrontier(content, pick) {
  byId("frontier").hidden = false;
  const points = content.points;
  const all = total(content.trees[points[0].tree].nodes[0].counts);
  const table = pointTable(points, pick);
  byId("points-frame").replaceChildren(table.node);
  let chosen = 0;
  let chart = null;
  let width = 0;

  function draw() {
    width = byId("chart").clientWidth || 640;
    chart = stepChart(content, all, width, pick, (at) => readOut(points[at === null ? chosen : at], all));
    byId("chart").replaceChildren(chart.node);
    chart.mark(chosen);
  }
  // Drawn anew rather than scaled, so that its text keeps its size on a phone.
  new ResizeObserver(() => {
    if (Math.abs(byId("chart").clientWidth - width) > 1 && byId("chart").clientWidth) draw();
  }).observe(byId("chart"));
  draw();
  return (at) => {
    chosen = at;
    chart.mark(at);
    table.mark(at);
    readOut(points[at], all);
  };
}

const bound = (point) => (point.proven ? "proven" : `at least ${amount(point.lower_bound)} with any tree`);

function readOut(point, all) {
  const share = percent(point.errors, all);
  byId("readout").replaceChildren(
    element("strong", {}, `Budget ${amount(point.max_cost)}: ${errors(point.errors)} (${share})`),
    `, ${bound(point)}; by ${point.source}`,
  );
}

function stepChart({ points, bounds }, all, width, pick, hover) {
  const right = points[points.length - 1].max_cost || 1;
  const high = points[0].errors || 1;
  const ticks = niceTicks(high);
  const peak = Math.max(high, ticks[ticks.length - 1]);
  const x = (cost) => CHART.left + ((width - CHART.left - CHART.right) * cost) / right;
  const y = (count) => CHART.height - CHART.bottom - ((CHART.height - CHART.top - CHART.bottom) * count) / peak;
  const label = `Errors against the budget, ${points.length} points. Arrow keys move between points, Enter picks one.`;
  const chart = drawing("svg", {
    viewBox: `0 0 ${width} ${CHART.height}`,
    role: "group",
    "aria-label": label,
    click: (event) => !event.target.closest(".point") && pick(pointUnder(event)),
    pointermove: (event) => hover(pointUnder(event)),
    pointerleave: () => hover(null),
  });

  // Anywhere in the chart stands for a budget, which buys the last point at or before it.
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
    drawing("path", { class: "area", d: `${boundSteps(bounds, x, y)}L${x(right)} ${y(0)}L${x(0)} ${y(0)}Z` }),
    drawing("path", { class: "line", d: errorSteps(points, x, y) }),
    drawing("text", { class: "axis", x: width - CHART.right, y: CHART.height - 6, "text-anchor": "end" }, "budget: no case costs more"),
    drawing("text", { class: "axis", x: 2, y: CHART.height - 6 }, `errors of ${cases(all)}`),
  );
  const dots = points.map((point, at) => {
    const dot = drawing(
      "g",
      {
        class: point.proven ? "point proven" : "point",
        role: "button",
        tabindex: "-1",
        "data-point": at,
        "aria-label": `Budget ${amount(point.max_cost)}, ${errors(point.errors)}, ${bound(point)}`,
        click: () => pick(at),
        focus: () => hover(at),
        blur: () => hover(null),
        keydown: (event) => moveOrPick(event, at),
      },
      drawing("circle", { class: "halo", cx: x(point.max_cost), cy: y(point.errors), r: 11 }),
      drawing("circle", { class: "dot", cx: x(point.max_cost), cy: y(point.errors), r: points.length > 60 ? 3 : 5 }),
    );
    chart.append(dot);
    return dot;
  });

  function moveOrPick(event, at) {
    const last = dots.length - 1;
    const target = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: last };
    if (event.key === "Enter" || event.key === " ") pick(at);
    else if (event.key in target) dots[Math.min(Math.max(target[event.key], 0), last)].focus();
    else return;
    event.preventDefault();
  }

  function mark(chosen) {
    dots.forEach((dot, at) => {
      dot.setAttribute("aria-pressed", String(at === chosen));
      dot.setAttribute("tabindex", at === chosen ? "0" : "-1");
    });
  }
  return { node: chart, mark };
}

function errorSteps(points, x, y) {
  return points.map((point, at) => `${at ? "H" : "M"}${x(point.max_cost)}${at ? "V" : " "}${y(point.errors)}`).join("");
}

// Each bound holds from its budget to the next one's.
function boundSteps(bounds, x, y) {
  return bounds.map(([budget, least], at) => `${at ? "H" : "M"}${x(budget)}${at ? "V" : " "}${y(least)}`).join("");
}

function niceTicks(most) {
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each >= rough * 0.999);
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, at) => clean(at * step));
}

function pointTable(points, pick) {
  const rows = points.map((point, at) => {
    const button = element("button", { type: "button", class: "link", "data-point": at }, amount(point.max_cost));
    button.setAttribute("aria-label", `Show the tree for a budget of ${amount(point.max_cost)}`);
    return element(
      "tr",
      { click: () => pick(at) },
      element("td", { class: "number" }, button),
      element("td", { class: "number" }, amount(point.errors)),
      element("td", { class: "number" }, `${(100 * point.error_rate).toFixed(2)}%`),
      element("td", {}, point.proven ? "proven" : `at least ${amount(point.lower_bound)}`),
    );
  });
  const names = ["Budget", "Errors", "Rate", "Proof"];
  const head = names.map((name, at) => element("th", { scope: "col", class: at < 3 ? "number" : null }, name));
  const body = element("tbody", {}, ...rows);
  const mark = (chosen) => {
    rows.forEach((row, at) => {
      row.classList.toggle("chosen", at === chosen);
      row.querySelector("button").setAttribute("aria-pressed", String(at === chosen));
    });
  };
  return { node: element("table", { class: "points" }, element("thead", {}, element("tr", {}, ...head)), body), mark };
}
