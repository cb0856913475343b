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

// The probability of each class, by the model of what is paid, or as the known cases have it.
function probabilitiesAt(node, codes) {
  if (node.model === undefined) return node.shares;
  const { intercept, added } = MODELS[node.model];
  const scores = [...intercept];
  for (const [test, rows] of added) {
    entry(rows, codes.get(test)).forEach((score, place) => (scores[place] += score));
  }
  const top = Math.max(...scores);
  const raised = scores.map((score) => Math.exp(score - top));
  const total = raised.reduce((sum, part) => sum + part, 0);
  return raised.map((part) => part / total);
}

// The likeliest class, or the answer of least expected loss; the first of those that are the same.
function answerTo(probabilities) {
  if (LOSSES === null) return probabilities.indexOf(Math.max(...probabilities));
  const losses = ANSWERS.map(() => 0);
  probabilities.forEach((share, place) => {
    LOSSES[place].forEach((loss, answer) => (losses[answer] += share * loss));
  });
  return losses.indexOf(Math.min(...losses));
}

function follow(values) {
  const codes = new Map();
  let node = NODES[0];
  let paid = 0;
  let probabilities = null;
  while (node.test !== undefined) {
    if (node.mayStop) {
      probabilities = probabilitiesAt(node, codes);
      if (Math.max(...probabilities) >= SURE) break;
    }
    if (!codes.has(node.test)) {
      const { name } = TESTS[node.test];
      if (!Object.hasOwn(values, name)) {
        throw new TypeError(`the case has no ${name}; give its value, or null where it is missing.`);
      }
      codes.set(node.test, codeOf[node.test](values[name]));
    }
    const code = codes.get(node.test);
    paid += entry(node.prices, code);
    const next = entry(node.children, code);
    if (next === null) break; // no known case showed this here
    node = NODES[next];
  }
  probabilities = probabilitiesAt(node, codes);
  return {
    answer: ANSWERS[node.model === undefined ? node.answer : answerTo(probabilities)],
    probabilities: CLASSES.map((name, place) => ({ class: name, probability: probabilities[place] })),
    cost: paid / SCALE,
    tests: [...codes.keys()].map((test) => TESTS[test].name),
  };
}
