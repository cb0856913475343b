const codeOf = TESTS.map((test) => {
  if (test === null) return null; // which no path does
  const isNumeric = test.thresholds !== undefined;
  const known = isNumeric ? null : new Map(test.values.map((value, code) => [plain(value), code]));
  return (value) => {
    if (value === null || value === undefined || Number.isNaN(value)) return test.missing;
    if (!isNumeric) {
      if (typeof value === "object") throw refusal(test, value, "a text, a number, true, false or null");
      return known.get(plain(value)) ?? 255;
    }
    const number = typeof value === "bigint" ? Number(value) : value;
    if (typeof number !== "number" || !Number.isFinite(number)) {
      throw refusal(test, value, "a finite number, or null");
    }
    return levelOf(test.thresholds, number);
  };
});

function refusal(test, value, expected) {
  return new TypeError(`${test.name} is ${JSON.stringify(value) ?? String(value)}; expected ${expected}.`);
}

// How many thresholds are not above the number; they ascend.
function levelOf(thresholds, number) {
  let low = 0;
  let high = thresholds.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (thresholds[middle] <= number) low = middle + 1;
    else high = middle;
  }
  return low;
}

// true is 1, as in the table that the tree was learned from.
function plain(value) {
  return typeof value === "boolean" || typeof value === "bigint" ? Number(value) : value;
}

// Of a list for outcomes, of which the last is for any other; one entry stands for many that are the same.
function entry(list, code) {
  return Array.isArray(list) ? list[Math.min(code, list.length - 1)] : list;
}

function totalsOf({ intercept, added, trees }, codes) {
  const totals = [...intercept];
  const add = (points) => points.forEach((more, place) => (totals[place] += more));
  for (const [test, rows] of added) add(entry(rows, codes.get(test)));
  const [starts, nodes, values] = trees;
  for (const start of starts) {
    let at = start;
    while (Array.isArray(nodes[at])) {
      const [test, cut, byEqual, defaultLeft, missing, right] = nodes[at];
      const code = codes.get(test);
      const isListed = code !== 255 && code !== missing;
      const isLeft = isListed ? (byEqual ? code === cut : code <= cut) : defaultLeft;
      at = isLeft ? at + 1 : right;
    }
    add(values[nodes[at]]);
  }
  return totals;
}

// A score per class; where there is one for two classes, that of the first is 0.
function scoresOf(totals) {
  return totals.length > 1 ? totals : [0, totals[0]];
}

// e to the power of x, which is at most 0, by steps that give the same digits everywhere.
function exponential(x) {
  if (x < -700) return 0;
  const halvings = x * 1.4426950408889634 + 1.5 * 2 ** 52 - 1.5 * 2 ** 52; // to the nearest whole number
  const rest = x - halvings * 0.6931471803691238 - halvings * 1.9082149292705877e-10; // ln 2 in two parts
  const factorials = [1];
  for (let n = 1; n < 14; n++) factorials.push(factorials[n - 1] * n);
  return factorials.reduceRight((sum, factorial) => sum * rest + 1 / factorial, 0) * 2 ** halvings;
}

// The probability of each class; its scores are in millionths.
function probabilitiesOf(totals) {
  const scores = scoresOf(totals);
  const top = Math.max(...scores);
  const raised = scores.map((score) => exponential((score - top) * 1e-6));
  const sum = raised.reduce((before, part) => before + part, 0);
  return raised.map((part) => part / sum);
}

// The class of the highest total, or the answer of least expected loss; the first of those that are the same.
function answerTo(totals) {
  const scores = scoresOf(totals);
  if (LOSSES === null) return scores.indexOf(Math.max(...scores));
  const losses = ANSWERS.map(() => 0);
  probabilitiesOf(totals).forEach((share, place) => {
    LOSSES[place].forEach((loss, answer) => (losses[answer] += share * loss));
  });
  return losses.indexOf(Math.min(...losses));
}

// Of two classes it is enough how far apart their totals are.
function isSure({ confidence, difference }, totals) {
  const [one, other] = scoresOf(totals);
  if (difference !== null) return Math.abs(one - other) >= difference;
  return Math.max(...probabilitiesOf(totals)) >= confidence;
}

function follow(values) {
  const codes = new Map();
  const paid = RESOURCES.map(() => 0);
  let step = STEPS[0];
  while (step.kind !== "answer" && step.kind !== "scores") {
    if (step.kind === "pay") {
      const { name } = TESTS[step.test];
      if (!Object.hasOwn(values, name)) {
        throw new TypeError(`the case has no ${name}; give its value, or null where it is missing.`);
      }
      const code = codeOf[step.test](values[name]);
      codes.set(step.test, code);
      step.charges.forEach((charges, resource) => (paid[resource] += entry(charges, code)));
      step = STEPS[step.child];
    } else if (step.kind === "result") {
      step = STEPS[entry(step.children, codes.get(step.test))];
    } else {
      const totals = totalsOf(TOTALS[step.totals], codes);
      const side = step.kind === "points" ? levelOf(step.cuts, totals[0]) : isSure(step, totals) ? 0 : 1;
      step = STEPS[step.children[side]];
    }
  }
  const costs = RESOURCES.map(([name, scale], resource) => [name, paid[resource] / scale]);
  const totals = step.kind === "scores" ? totalsOf(TOTALS[step.totals], codes) : null;
  const probabilities = totals === null ? step.shares : probabilitiesOf(totals);
  return {
    answer: ANSWERS[totals === null ? step.answer : answerTo(totals)],
    probabilities: CLASSES.map((name, place) => ({ class: name, probability: probabilities[place] })),
    cost: costs[0][1],
    tests: [...codes.keys()].map((test) => TESTS[test].name),
    ...(costs.length > 1 && { costs: Object.fromEntries(costs) }),
  };
}
