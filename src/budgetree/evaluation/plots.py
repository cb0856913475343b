"""The two figures of a paper: calibration and decision curve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from budgetree.errors import SettingError
from budgetree.services.words import visible
from budgetree.show.plots import BEHIND, LINE, finish, new_axes

if TYPE_CHECKING:
    from budgetree.evaluation.result import Evaluation

GREY = "#7f7f7f"


def draw_calibration(found: Evaluation, ax: Any) -> Any:
    """Observed against predicted, with where cases are below."""
    label, name = _positive(found)
    one = found.overall.by_class[label]
    ax = new_axes(4.6, 4.6) if ax is None else ax
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=1, linestyle="--", label="ideal")
    ends = [(p.predicted, p.observed) for p in one.curve if p.observed.low is not None and p.observed.high is not None]
    if ends:
        x = [predicted for predicted, _ in ends]
        y = [observed.value for _, observed in ends]
        arms = [[o.value - (o.low or 0) for _, o in ends], [(o.high or 0) - o.value for _, o in ends]]
        style = {"fmt": "o-", "color": LINE, "linewidth": 1.5, "capsize": 2, "markersize": 5}
        ax.errorbar(x, y, yerr=np.maximum(arms, 0), label="observed, 95 % interval", **style)
    chances, weights = found.judged.chances[:, label], found.judged.weights
    counts, edges = np.histogram(chances, bins=25, range=(0, 1), weights=weights)
    heights = 0.1 * counts / max(counts.max(), 1e-9)
    ax.bar(edges[:-1], heights, width=np.diff(edges), align="edge", color=LINE, alpha=0.25, label="cases")
    finish(ax, f"predicted probability of {name}", f"observed share of {name}")
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(0, 1.02)
    ax.set_aspect("equal")
    _percents(ax)
    lines = [f"{title} {value}" for title, value in (("slope", one.slope), ("intercept", one.intercept)) if value]
    ax.legend(frameon=False, loc="upper left", title="\n".join(lines) or None, fontsize="small", title_fontsize="small")
    return ax


def draw_decision_curve(found: Evaluation, ax: Any) -> Any:
    """Net benefit of the pathway, of treating all and of treating none."""
    curve, name = found.decision_curve, _positive(found)[1]
    assert curve is not None
    ax = new_axes(6, 4) if ax is None else ax
    x = np.array(curve.thresholds)
    values = [value.value for value in curve.net_benefit]
    low = [value.value if value.low is None else value.low for value in curve.net_benefit]
    high = [value.value if value.high is None else value.high for value in curve.net_benefit]
    ax.fill_between(x, low, high, color=LINE, alpha=0.18, linewidth=0, label="95 % interval")
    ax.plot(x, values, color=LINE, linewidth=2, label="the pathway")
    ax.plot(x, curve.treat_all, color=BEHIND[4], linewidth=1.4, linestyle="-.", label="treat all")
    ax.axhline(0, color=GREY, linewidth=1.2, linestyle="--", label="treat none")
    finish(ax, f"threshold probability of {name}", "net benefit (found cases per case)", percents=False)
    top = max(float(np.max(high)), curve.treat_all[0], 0.01)
    ax.set_ylim(-0.2 * top, 1.05 * top)
    ax.set_xlim(0, 1)
    _percents(ax, both=False)
    harm = "no harm of testing" if curve.worth is None else "harm: what each case paid"
    ax.legend(frameon=False, fontsize="small", title=harm, title_fontsize="small")
    return ax


def _percents(ax: Any, *, both: bool = True) -> None:
    from matplotlib.ticker import PercentFormatter

    for axis in (ax.xaxis, ax.yaxis) if both else (ax.xaxis,):
        axis.set_major_formatter(PercentFormatter(1, decimals=0))


def _positive(found: Evaluation) -> tuple[int, str]:
    if found.positive is None:
        message = "positive: calibration and net benefit are about one class; evaluate with positive=CLASS."
        raise SettingError(message, subject="positive")
    return found.positive, visible(found.tree.schema.wording.classes[found.positive])
