"""logratio for Python: the parts that run where the models are."""

__version__ = "0.1.0"
