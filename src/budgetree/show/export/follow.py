"""How an exported Python function follows a case; all that stands below the imports is a part of what is exported."""
# ruff: noqa: B905 - an older Python can run what is exported
# mypy: allow-untyped-defs, allow-untyped-calls

import bisect
import math


def _follow(case, classes, answers, resources, losses, tests, totals, steps):
    codes, spent, step = {}, [0] * len(resources), steps[0]
    while step["kind"] not in ("answer", "scores"):
        if step["kind"] == "pay":
            test = step["test"]
            codes[test] = _follow_code(tests[test], case[tests[test]["name"]])
            spent = [before + _follow_entry(more, codes[test]) for before, more in zip(spent, step["charges"])]
            step = steps[step["child"]]
        elif step["kind"] == "result":
            step = steps[_follow_entry(step["children"], codes[step["test"]])]
        else:
            added = _follow_totals(totals[step["totals"]], codes)
            if step["kind"] == "points":
                side = bisect.bisect_right(step["cuts"], added[0])
            else:
                side = 0 if _follow_is_sure(step, added) else 1
            step = steps[step["children"][side]]
    if step["kind"] == "answer":
        answer, shares = step["answer"], step["shares"]
    else:
        added = _follow_totals(totals[step["totals"]], codes)
        answer, shares = _follow_answer(added, losses), _follow_shares(added)
    costs = {name: units / scale for units, (name, scale) in zip(spent, resources)}
    found = {"answer": answers[answer], "probabilities": dict(zip(classes, shares)), "cost": next(iter(costs.values()))}
    return found | ({"costs": costs} if len(costs) > 1 else {}) | {"tests": [tests[test]["name"] for test in codes]}


def _follow_code(test, value):
    if value is None or value != value:
        return test["missing"]
    if "thresholds" in test:
        return bisect.bisect_right(test["thresholds"], float(value))
    return test["values"].get(value, 255)


# Of a list for outcomes, of which the last is for any other; one entry stands for many that are the same.
def _follow_entry(entries, code):
    return entries[min(code, len(entries) - 1)] if isinstance(entries, list) else entries


def _follow_totals(totals, codes):
    added = [_follow_entry(rows, codes[test]) for test, rows in totals["added"]]
    starts, nodes, values = totals["trees"]
    for node in starts:
        while not isinstance(nodes[node], int):
            test, cut, by_equal, is_left, missing, right = nodes[node]
            if codes[test] not in (255, missing):
                is_left = codes[test] == cut if by_equal else codes[test] <= cut
            node = node + 1 if is_left else right
        added.append(values[nodes[node]])
    return [sum(parts) for parts in zip(totals["intercept"], *added)]


# A score per class; where there is one for two classes, that of the first is 0.
def _follow_scores(totals):
    return totals if len(totals) > 1 else [0, totals[0]]


# Of two classes it is enough how far apart their totals are.
def _follow_is_sure(step, totals):
    if step["difference"] is None:
        return max(_follow_shares(totals)) >= step["confidence"]
    one, other = _follow_scores(totals)
    return abs(one - other) >= step["difference"]


# Of the highest score, or of least expected loss; of those that are the same the first.
def _follow_answer(totals, losses):
    scores = _follow_scores(totals)
    if losses is None:
        return scores.index(max(scores))
    expected = [0.0] * len(losses[0])
    for share, row in zip(_follow_shares(totals), losses):
        expected = [loss + share * units for loss, units in zip(expected, row)]
    return expected.index(min(expected))


# By steps that give the same digits on every machine; sum() would round otherwise.
def _follow_shares(totals):
    scores, total = _follow_scores(totals), 0.0
    raised = [_follow_power((score - max(scores)) * 1e-06) for score in scores]
    for part in raised:
        total += part
    return [part / total for part in raised]


def _follow_power(x):
    if x < -700:
        return 0.0
    halvings = round(x * 1.4426950408889634)
    rest = x - halvings * 0.6931471803691238 - halvings * 1.9082149292705877e-10
    power = 0.0
    for n in range(13, -1, -1):
        power = power * rest + 1 / math.factorial(n)
    return math.ldexp(power, halvings)
