"""Scores texts under Hugging Face models (teacher forcing) with PyTorch.

``worker`` speaks the protocol, ``frames`` is its form on the wire, ``models`` opens checkpoints and splits off their
head, ``figures`` computes what is kept of a row of logits, ``score`` and ``sample`` run texts, ``gradients`` says what
a divergence depends on. Nothing here knows what the figures mean; ``src/study/scoring/torch`` is the other end of the pipe.
"""
