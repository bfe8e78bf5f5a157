"""A very small RL lab: one task, one model, one engine, one trainer, and records of both policies.

`python -m tiny_rl_lab --help` lists the stages.
"""
