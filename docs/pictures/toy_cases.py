"""The sixty cases of the paper's toy, before any test."""

import matplotlib.pyplot as plt
import numpy as np
from toy_marks import answered, draw

figure, axes = plt.subplots(figsize=(3, 2.7), layout="constrained")
draw(axes, np.arange(60), "before any test")
answered(axes, np.arange(60))
