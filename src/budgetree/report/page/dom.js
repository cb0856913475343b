// Elements, numbers and the marks of classes. Text enters the page here, and only as text.

const SVG = "http://www.w3.org/2000/svg";
const HUES = 7; // with 6 shapes, no two of the first 42 classes look alike
const SHAPES = [
  "M6 1a5 5 0 1 0 0 10a5 5 0 1 0 0-10z", // circle
  "M1.5 1.5h9v9h-9z", // square
  "M6 .8L11.5 10.8H.5z", // triangle
  "M6 0L12 6L6 12L0 6z", // diamond
  "M4 .5h4v3.5h3.5v4H8v3.5H4V8H.5V4H4z", // cross
  "M.5 1.2h11L6 11.2z", // triangle, point down
];

const byId = (id) => document.getElementById(id);

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

const element = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const drawing = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

// Sums of prices carry float dust (0.1 + 0.2); twelve digits are more than any price list has.
const clean = (number) => Number(number.toPrecision(12));
const amount = (number) => String(clean(number));

// Means and ratios have endless digits: four of them do.
const rounded = (number) => String(Number(number >= 1000 ? number.toFixed(1) : number.toPrecision(4)));

// "100.0%" and "0.0%" are said only where they are true.
function percent(part, whole) {
  if (!whole) return "0%";
  if (part === whole) return "100%";
  const share = (100 * part) / whole;
  if (share > 99.9) return "over 99.9%";
  if (share > 0 && share < 0.1) return "under 0.1%";
  return `${Number(share.toFixed(1))}%`;
}

const counted = (count, one, many) => `${amount(count)} ${count === 1 ? one : many}`;
const cases = (count) => counted(count, "case", "cases");
const errors = (count) => counted(count, "error", "errors");
const span = (low, high) => (amount(low) === amount(high) ? amount(low) : `${amount(low)} to ${amount(high)}`);
const capital = (words) => words.charAt(0).toUpperCase() + words.slice(1);
const total = (counts) => clean(counts.reduce((sum, count) => sum + count, 0));

// A class by shape and colour; its name always stands beside it.
function classMark(index) {
  const shape = drawing("path", { d: SHAPES[index % SHAPES.length] });
  return drawing("svg", { class: `mark hue-${index % HUES}`, viewBox: "0 0 12 12", "aria-hidden": "true" }, shape);
}

function className(content, index) {
  return element("span", { class: "class-name" }, classMark(index), content.classes[index]);
}

// A thin bar with one segment per class, told apart by colour and by pattern.
function stackedBar(counts) {
  const bar = element("span", { class: "stack", "aria-hidden": "true" });
  counts.forEach((count, index) => {
    if (!count) return;
    const part = element("span", { class: `hue-${index % HUES} pattern-${index % SHAPES.length}` });
    part.style.flexGrow = String(count / total(counts));
    bar.append(part);
  });
  return bar;
}

// One bar per class. `before` (what the last step left) shows as a tick, so that narrowing can be seen.
function classBars(content, counts, before = null) {
  const all = total(counts);
  const list = element("ul", { class: "bars" });
  const many = content.classes.length > 12;
  counts.forEach((count, index) => {
    if (many && !count) return;
    const hue = `hue-${index % HUES} pattern-${index % SHAPES.length}`;
    const bar = element("span", { class: `bar ${hue}` });
    bar.style.width = `${all ? (100 * count) / all : 0}%`;
    const track = element("span", { class: "track", "aria-hidden": "true" }, bar);
    if (before && total(before)) {
      const tick = element("span", { class: "tick" });
      tick.style.left = `${(100 * before[index]) / total(before)}%`;
      track.append(tick);
    }
    const figures = element("span", { class: "figures" }, `${percent(count, all)} (${amount(count)})`);
    list.append(element("li", { class: count ? null : "ruled-out" }, className(content, index), figures, track));
  });
  const out = counts.filter((count) => !count).length;
  if (many && out) list.append(element("li", { class: "quiet" }, `${out} classes have no known case here.`));
  return list;
}
