"""The README of a recording, with its measured figures."""
