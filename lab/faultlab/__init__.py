"""Runs with known faults, really computed, as ground truth for `logratio doctor`."""
