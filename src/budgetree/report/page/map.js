// The tree as a drawing in a frame: moved and zoomed by mouse, fingers and keys, with a small map of all of it.

import { boxesShown, drawBoxes } from "./boxes.js";
import { showDetail } from "./detail.js";
import { byId, drawing, percent } from "./dom.js";
import { BOX, fitting, keptInside, limited, planOf, zoomed } from "./layout.js";
import { isOpen, rowOf, setOpen } from "./tree.js";
import { say } from "./words.js";

/** @import { Plan, Row, View } from "./types.d.ts" */

const READABLE = 0.6; // a drawing that fits only when smaller than this starts at its root instead
const KEY_STEP = 80; // pixels
const ZOOM_STEP = 1.25;
const DRAG = 5; // pixels; less is a press

/**
 * The drawing of the tree in use. `draw` when another tree or another fold is shown, `goTo` for a row that was found.
 * @param {() => View} currentView
 */
export function connectMap(currentView) {
  const frame = byId("map-frame");
  const canvas = drawing("svg", { id: "map", "aria-hidden": "true" });
  const small = drawing("svg", { id: "small-map", "aria-hidden": "true" });
  frame.append(canvas, small);
  /** @type {Plan} */
  let plan = { boxes: new Map(), width: 1, height: 1 };
  let place = { x: 0, y: 0, scale: 1 };
  /** @type {View | null} */
  let drawn = null;
  let isWaiting = false;

  const size = () => ({ width: frame.clientWidth || 1, height: frame.clientHeight || 1 });

  function draw() {
    const view = currentView();
    if (!view || !frame.offsetParent) return;
    plan = planOf(view.index, (group) => isOpen(rowOf(view, group)));
    canvas.replaceChildren(...drawBoxes(view, plan));
    drawSmallMap();
    if (drawn !== view) showStart(view);
    drawn = view;
    view.folded = drawSoon;
    markHits(view);
    frame.setAttribute("aria-label", say("map.label", { count: plan.boxes.size, all: view.index.groups.length }));
    move(place);
  }

  function drawSoon() {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      draw();
    });
  }

  /** @param {View} view */
  function showStart(view) {
    const { width, height } = size();
    const scale = fitting(plan, { width, height });
    const root = plan.boxes.get(view.root.group);
    place = scale >= READABLE ? { x: 0, y: 0, scale } : { x: 0, y: (root?.y ?? 0) - height / 2, scale: 1 };
  }

  /** @param {typeof place} wanted */
  function move(wanted) {
    const { width, height } = size();
    place = keptInside(wanted, plan, { width, height });
    canvas.setAttribute("viewBox", `${place.x} ${place.y} ${width / place.scale} ${height / place.scale}`);
    byId("map-zoom").textContent = say("map.zoom", { share: percent(Math.round(100 * place.scale), 100) });
    const isWhole = width / place.scale >= plan.width && height / place.scale >= plan.height;
    small.classList.toggle("idle", isWhole);
    const [x, y] = [Math.max(place.x, 0), Math.max(place.y, 0)];
    const [right, bottom] = [place.x + width / place.scale, place.y + height / place.scale];
    const window = small.querySelector("rect");
    const box = { x, y, width: Math.min(right, plan.width) - x, height: Math.min(bottom, plan.height) - y };
    for (const [name, value] of Object.entries(box)) window?.setAttribute(name, String(Math.max(value, 0)));
  }

  function drawSmallMap() {
    const { width, height } = size();
    const scale = Math.min((width * 0.25) / plan.width, (height * 0.4) / plan.height);
    small.setAttribute("viewBox", `0 0 ${plan.width} ${plan.height}`);
    small.setAttribute("width", String(Math.max(plan.width * scale, 24)));
    small.setAttribute("height", String(Math.max(plan.height * scale, 24)));
    small.setAttribute("preserveAspectRatio", "none");
    const marks = [...plan.boxes.values()].map(({ x, y }) => `M${x} ${y + BOX.height / 2}h${BOX.width}`).join("");
    small.replaceChildren(drawing("path", { d: marks, "stroke-width": BOX.height * 0.6 }), drawing("rect", {}));
  }

  /** @param {View} view */
  function markHits(view) {
    for (const box of boxesShown(canvas)) {
      const { line } = rowOf(view, Number(box.dataset.group));
      box.classList.toggle("hit", line.classList.contains("hit"));
      box.classList.toggle("hit-now", line.classList.contains("hit-now"));
    }
  }

  /** @param {number} factor @param {number} [px] @param {number} [py] */
  function zoom(factor, px = size().width / 2, py = size().height / 2) {
    const next = limited(place.scale * factor, plan, size());
    move(zoomed(place, next / place.scale, px, py));
  }

  const fit = () => move({ x: 0, y: 0, scale: fitting(plan, size()) });

  /** @param {number} dx @param {number} dy */
  const shift = (dx, dy) => move({ ...place, x: place.x + dx / place.scale, y: place.y + dy / place.scale });

  /** @param {number} x @param {number} y */
  const centre = (x, y) => {
    const { width, height } = size();
    move({ ...place, x: x - width / place.scale / 2, y: y - height / place.scale / 2 });
  };

  frame.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    /** @type {Record<string, () => void>} */
    const moves = {
      ArrowLeft: () => shift(-KEY_STEP, 0),
      ArrowRight: () => shift(KEY_STEP, 0),
      ArrowUp: () => shift(0, -KEY_STEP),
      ArrowDown: () => shift(0, KEY_STEP),
      Home: () => move({ ...place, x: 0, y: 0 }),
      "+": () => zoom(ZOOM_STEP),
      "=": () => zoom(ZOOM_STEP),
      "-": () => zoom(1 / ZOOM_STEP),
      0: fit,
    };
    if (!Object.hasOwn(moves, event.key)) return;
    event.preventDefault();
    moves[event.key]();
  });
  frame.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey) return; // the page scrolls
      event.preventDefault();
      const { left, top } = frame.getBoundingClientRect();
      zoom(Math.exp(-event.deltaY / 300), event.clientX - left, event.clientY - top);
    },
    { passive: false },
  );
  connectFingers(canvas, { shift, zoom, press });
  connectSmallMap(small, () => plan, centre);
  byId("map-in").addEventListener("click", () => zoom(ZOOM_STEP));
  byId("map-out").addEventListener("click", () => zoom(1 / ZOOM_STEP));
  byId("map-fit").addEventListener("click", fit);
  new ResizeObserver(draw).observe(frame);

  /** @param {Element} target */
  function press(target) {
    const group = target.closest(".box")?.getAttribute("data-group");
    if (group === null || group === undefined) return;
    const view = currentView();
    const row = rowOf(view, Number(group));
    showDetail(view.index, row);
    setOpen(view, row, !isOpen(row));
  }

  /** @param {Row | null} row */
  function goTo(row) {
    draw();
    const box = row && plan.boxes.get(row.group);
    if (!box || !frame.offsetParent) return;
    if (place.scale < READABLE) place = { ...place, scale: 1 };
    centre(box.x + BOX.width / 2, box.y + BOX.height / 2);
  }
  return { draw, goTo };
}

/**
 * One finger or the mouse moves, two fingers zoom, and a press that did not move is a press.
 * @param {SVGSVGElement} canvas
 * @param {{ shift: (dx: number, dy: number) => void, zoom: (factor: number, px: number, py: number) => void, press: (target: Element) => void }} does
 */
function connectFingers(canvas, { shift, zoom, press }) {
  /** @type {Map<number, { x: number, y: number }>} */
  const down = new Map();
  let moved = 0;
  /** @type {Element | null} */
  let pressed = null;

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    if (!down.size) [moved, pressed] = [0, /** @type {Element} */ (event.target)];
    down.set(event.pointerId, { x: event.clientX, y: event.clientY });
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = down.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    moved += Math.hypot(now.x - before.x, now.y - before.y);
    const [other] = [...down].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    down.set(event.pointerId, now);
    if (moved < DRAG) return;
    if (!other) return shift(before.x - now.x, before.y - now.y);
    const { left, top } = canvas.getBoundingClientRect();
    /** @type {(at: { x: number, y: number }) => number} */
    const apart = (at) => Math.max(Math.hypot(at.x - other.x, at.y - other.y), 1);
    zoom(apart(now) / apart(before), (now.x + other.x) / 2 - left, (now.y + other.y) / 2 - top);
    shift((before.x - now.x) / 2, (before.y - now.y) / 2);
  });
  for (const name of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(name, (event) => {
      if (!down.delete(/** @type {PointerEvent} */ (event).pointerId) || down.size) return;
      if (name === "pointerup" && moved < DRAG && pressed) press(pressed);
    });
  }
}

/**
 * Where the small map is pressed is what the frame shows.
 * @param {SVGSVGElement} small
 * @param {() => Plan} currentPlan
 * @param {(x: number, y: number) => void} centre
 */
function connectSmallMap(small, currentPlan, centre) {
  /** @param {PointerEvent} event */
  const show = (event) => {
    const { left, top, width, height } = small.getBoundingClientRect();
    const plan = currentPlan();
    centre(((event.clientX - left) / width) * plan.width, ((event.clientY - top) / height) * plan.height);
  };
  small.addEventListener("pointerdown", (event) => {
    small.setPointerCapture(event.pointerId);
    show(event);
  });
  small.addEventListener("pointermove", (event) => small.hasPointerCapture(event.pointerId) && show(event));
}
