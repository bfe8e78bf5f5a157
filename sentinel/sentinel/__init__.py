"""Notices when a trainer's release has moved away from what logratio knows of it."""
