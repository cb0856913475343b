// What the tree's nodes do not say by themselves: the way to each, fees due, the worst case from there, and routing.

const isLeaf = (node) => node.test === undefined;

function indexTree(content, tree) {
  const nodes = tree.nodes;
  const index = { content, tree, nodes, parent: [-1], depth: [0], due: [], repeated: [], remaining: [] };
  nodes.forEach((node, at) => {
    if (isLeaf(node)) return;
    const above = testsAbove(index, at);
    const paid = new Set(above.flatMap((test) => content.tests[test].fees));
    index.due[at] = content.tests[node.test].fees.filter((fee) => !paid.has(fee));
    index.repeated[at] = above.includes(node.test);
    for (const child of node.branches) {
      if (child === null) continue;
      index.parent[child] = at;
      index.depth[child] = index.depth[at] + 1;
    }
  });
  // Children have larger numbers than their parents.
  for (let at = nodes.length - 1; at >= 0; at--) index.remaining[at] = worstFrom(index, at);
  return index;
}

function testsAbove(index, at) {
  const tests = [];
  for (let up = index.parent[at]; up >= 0; up = index.parent[up]) tests.push(index.nodes[up].test);
  return tests;
}

// The most that a case can still cost, whatever the outcomes: also those that no known case showed.
function worstFrom(index, at) {
  const node = index.nodes[at];
  if (isLeaf(node)) return 0;
  const ways = node.branches.map(
    (child, outcome) => priceOf(index, at, outcome) + (child === null ? 0 : index.remaining[child]),
  );
  return clean(Math.max(...ways));
}

const feesDue = (index, at) =>
  index.due[at].reduce((sum, fee) => sum + index.content.fees[fee].amount, 0);

// What the test at a node costs with this outcome; an outcome in no price list (null) costs as much as the costliest.
function priceOf(index, at, outcome) {
  if (index.repeated[at]) return 0;
  const prices = index.content.tests[index.nodes[at].test].prices;
  return clean((outcome === null ? Math.max(...prices) : prices[outcome]) + feesDue(index, at));
}

// "costs 17.61 (with 2.1 for blood draw)", as the tree and the consultation both say it.
function priceWords(index, at) {
  if (index.repeated[at]) return "already paid";
  const [low, high] = index.nodes[at].price;
  const fees = index.due[at].map((fee) => index.content.fees[fee]);
  const shared = fees.map((fee) => `${amount(fee.amount)} for ${fee.name}`).join(" and ");
  return `costs ${span(low, high)}${shared ? ` (with ${shared})` : ""}`;
}

// A number's outcome: how many thresholds it has reached. A null threshold is one that no number reaches.
const levelOf = (thresholds, value) => thresholds.filter((each) => each !== null && each <= value).length;

// The branches for people: outcomes with one child, or with leaves of one class and cost, are one branch.
function branchesOf(index, at) {
  const node = index.nodes[at];
  const groups = new Map();
  node.branches.forEach((child, outcome) => {
    if (child === null) return;
    const below = index.nodes[child];
    const key = isLeaf(below) ? `${below.label} for ${amount(below.spent)}` : child;
    if (!groups.has(key)) groups.set(key, { outcomes: [], children: [] });
    const group = groups.get(key);
    group.outcomes.push(outcome);
    if (!group.children.includes(child)) group.children.push(child);
  });
  return [...groups.values()].map((group) => ({ ...group, names: joinedNames(index, at, group.outcomes) }));
}

// Neighbouring ranges as one: "1 to 2", "2 to 5" is "1 to 5".
function joinedNames(index, at, outcomes) {
  const joined = [];
  for (const outcome of outcomes) {
    const name = index.content.tests[index.nodes[at].test].outcomes[outcome];
    const range = rangeOf(name);
    const last = joined.length ? rangeOf(joined[joined.length - 1]) : null;
    if (range && last && last.high === range.low) joined[joined.length - 1] = `${last.low} to ${range.high}`;
    else joined.push(name);
  }
  return joined;
}

function rangeOf(name) {
  const [low, high, ...more] = name.split(" to ");
  const numbers = [low, high].every((end) => end !== undefined && end.trim() !== "" && Number.isFinite(Number(end)));
  return numbers && !more.length ? { low, high } : null;
}

const sumCounts = (index, nodes) =>
  index.content.classes.map((_, each) => clean(nodes.reduce((sum, at) => sum + index.nodes[at].counts[each], 0)));

// The nodes from the root to one of the costliest leaves (the one with the most cases), and how many leaves tie.
function worstPath(index) {
  const leaves = index.nodes.map((_, at) => at).filter((at) => isLeaf(index.nodes[at]));
  const costliest = leaves.reduce((most, at) => Math.max(most, index.nodes[at].spent), 0);
  const tied = leaves.filter((at) => index.nodes[at].spent === costliest);
  const size = (at) => total(index.nodes[at].counts);
  let at = tied.reduce((best, each) => (size(each) > size(best) ? each : best));
  const path = new Set();
  for (; at >= 0; at = index.parent[at]) path.add(at);
  return { path, cost: costliest, ties: tied.length };
}

// Where answers lead, one per test, and what each step cost. A test met again has its answer already.
function follow(index, answers) {
  const known = new Map();
  const steps = [];
  let at = 0;
  let next = 0;
  let spent = 0;
  for (;;) {
    const node = index.nodes[at];
    const state = { at, steps, spent: clean(spent), stopped: false, open: false };
    if (isLeaf(node)) return state;
    const again = known.has(node.test);
    if (!again && next === answers.length) return { ...state, open: true };
    const answer = again ? known.get(node.test) : answers[next++];
    known.set(node.test, answer);
    const price = priceOf(index, at, answer.outcome);
    const child = answer.outcome === null ? null : node.branches[answer.outcome];
    spent += price;
    steps.push({ at, answer, price, again });
    if (child === null) return { ...state, spent: clean(spent), stopped: true };
    at = child;
  }
}
