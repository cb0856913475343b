"""
A latency budget
================

A payment has to be judged within 150 ms. Each feature comes from another service and costs time: the amount is in the
request, the age of the account 4 ms away, the score of the network of payments 180 ms. Fetching all takes 389 ms.

A tree fetches lazily: the next feature is asked for only where the answer is not clear yet, and no path may take longer
than the deadline. The *mean* is then far below it, and the *worst case* still holds.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import budgetree as bt

DEADLINE = 150  # ms

# %%
# Features and what they cost
# ---------------------------
# The price of a feature is the timeout of its service, because only the timeout bounds the worst case. Two services are
# behind one gateway, whose handshake is paid once.

LATENCY = {
    "amount": 0,
    "hour": 0,
    "account_age": 4,
    "device_score": 25,
    "ip_reputation": 60,
    "card_history": 45,
    "merchant_history": 45,
    "graph_score": 180,
}
GATEWAY, BEHIND_GATEWAY = 30, ["card_history", "merchant_history"]
prices = bt.Prices(LATENCY, shared={"gateway": (GATEWAY, BEHIND_GATEWAY)})
everything = sum(LATENCY.values()) + GATEWAY


def payments(count: int, seed: int) -> pd.DataFrame:
    """Payments whose features hint at a hidden risk, some more than others; one in six is a fraud."""
    rng = np.random.default_rng(seed)
    risk = rng.normal(size=count)
    hour = rng.integers(0, 24, count)

    def hint(mean: float, slope: float, noise: float) -> np.ndarray:
        return np.round(mean + slope * risk + noise * rng.normal(size=count), 1)

    is_fraud = risk + 0.15 * (hour < 6) + 0.2 * rng.normal(size=count) > 1
    return pd.DataFrame(
        {
            "amount": np.exp(hint(3.5, 0.2, 1)).round(),
            "hour": hour,
            "account_age": hint(300, -120, 220).round(),
            "device_score": hint(50, 14, 10),
            "ip_reputation": hint(50, 16, 20),
            "card_history": hint(20, -7, 5),
            "merchant_history": hint(3, 1, 1),
            "graph_score": hint(10, 3.2, 1),
            "label": np.where(is_fraud, "fraud", "genuine"),
        }
    )


known, new = payments(3000, seed=0), payments(1000, seed=1)
cases = bt.Instance.from_frame(known, "label", prices=prices)

# %%
# A tree for the deadline
# -----------------------
# It stops when further features would hardly change the answer, and otherwise buys what helps most in the time left.

tree = bt.predictive(cases, budget=DEADLINE)
print(tree.to_text())

# %%
# In the service
# --------------
# ``tree.ask(fetch)`` calls ``fetch(feature)`` only for what this payment needs. Here a stand-in for the services counts
# the time that they would take.


class Services:
    """The features of one payment, behind an API."""

    def __init__(self, payment: dict[str, float]) -> None:
        self.payment, self.waited, self.is_connected = payment, 0, False

    def fetch(self, feature: str) -> float:
        if feature in BEHIND_GATEWAY and not self.is_connected:
            self.waited += GATEWAY
            self.is_connected = True
        self.waited += LATENCY[feature]
        return self.payment[feature]


services = [Services(payment) for payment in new.drop(columns="label").to_dict("records")]
answers = np.array([tree.ask(each.fetch).prediction for each in services])
waited = np.array([each.waited for each in services])
print(f"{len(new)} new payments: {np.mean(answers != new['label']):.1%} judged wrongly")
print(f"waited {waited.mean():.0f} ms on average, {waited.max()} ms at most; the deadline is {DEADLINE} ms")
print(f"all features would take {everything} ms")

# %%
# What another deadline would buy
# -------------------------------
# On the left the time that each new payment took; on the right the error on new payments for other deadlines.

deadlines = [0, 4, 30, 90, DEADLINE, 210, 300, everything]
errors = []
for deadline in deadlines:
    other = bt.predictive(cases, budget=deadline)
    errors.append(np.mean(other.predict(new) != new["label"]))

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.8), layout="constrained")
left.hist(waited, bins=np.arange(0, DEADLINE + 11, 10), color="#0072B2")
left.axvline(DEADLINE, color="#D55E00", linewidth=2)
left.text(DEADLINE + 4, 0.95, "deadline", color="#D55E00", va="top", transform=left.get_xaxis_transform())
left.set_xlim(0, 1.35 * DEADLINE)
left.set_xlabel("ms until the answer")
left.set_ylabel("payments")
left.set_title("No payment takes longer", loc="left")
right.step(deadlines, errors, where="post", color="#0072B2", linewidth=2, marker="o")
right.axvline(DEADLINE, color="#D55E00", linewidth=2)
right.set_ylim(bottom=0)
right.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
right.set_xlabel("deadline in ms")
right.set_ylabel("new payments judged wrongly")
right.set_title("What a deadline buys", loc="left")
for axes in (left, right):
    axes.spines[["top", "right"]].set_visible(False)
plt.show()
