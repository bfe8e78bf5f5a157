"""Exact integer arithmetic on chains of binary steps."""

# An operand is a literal, or ("r", i): the result of step i.
Operand = int | tuple[str, int]
Step = tuple[Operand, str, Operand]


def apply_op(a: int, op: str, b: int) -> int | None:
    """a op b, or None where that is not an integer."""
    if op == "+":
        return a + b
    if op == "-":
        return a - b
    if op == "*":
        return a * b
    if op == "/" and b != 0 and a % b == 0:
        return a // b
    return None


def value_of(operand: Operand, results: list[int]) -> int:
    return results[operand[1]] if isinstance(operand, tuple) else operand


def run_chain(steps: list[Step]) -> list[int]:
    """The result of each step."""
    results: list[int] = []
    for left, op, right in steps:
        results.append(apply_op(value_of(left, results), op, value_of(right, results)))
    return results
