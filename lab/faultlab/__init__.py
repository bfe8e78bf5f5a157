"""Really computed runs with known faults, as ground truth for `logratio doctor`."""
