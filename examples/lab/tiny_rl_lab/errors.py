"""The one error that a stage raises for a reason its user can act on."""


class LabError(Exception):
    """A stage cannot go on, or a check failed; the message says why, with the numbers."""


def require(condition: object, message: str) -> None:
    """Raise LabError(message) unless `condition` is true (unlike assert, also under -O)."""
    if not condition:
        raise LabError(message)
