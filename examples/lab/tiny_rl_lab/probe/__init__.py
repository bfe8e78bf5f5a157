"""Teacher forcing: what checkpoints say, token by token, about the same given responses."""
