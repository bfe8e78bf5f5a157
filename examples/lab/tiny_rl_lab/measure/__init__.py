"""Figures about checkpoints, engines and records; each stage writes one JSON file."""
