"""What each of the two tests makes of the sixty cases."""

import matplotlib.pyplot as plt
import numpy as np
from toy_marks import answered, draw, toy

figure, grid = plt.subplots(1, 4, figsize=(9, 2.7), layout="constrained")
for place, (test, outcome) in enumerate(np.ndindex(2, 2)):
    rows = np.flatnonzero(toy.codes[:, test] == outcome)
    draw(grid[place], rows, f"{toy.test_names[test]} shows {outcome}")
    answered(grid[place], rows)
figure.add_artist(plt.Line2D([0.5, 0.5], [0.05, 0.95], color="#BBBBBB", linewidth=1))
