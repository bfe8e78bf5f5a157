"""True digits of answers: the cases of the TypeScript tests, read from their source, and their number-token loss."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from logratio.digits import align_true_digits, number_token_loss
from logratio.digits.numbers import find_answer, find_numbers, parse_truth

CASES = (Path(__file__).parents[2] / "src" / "analyses" / "digits" / "numbers.test.ts").read_text(encoding="utf-8")


def read_list(text: str):
    """Reads a JavaScript list as JSON."""
    return json.loads(re.sub(r",(\s*[\])])", r"\1", text))


def read_table(title: str):
    table = CASES[: CASES.index(title)].rsplit("test.each(", 1)[1].rsplit("]", 1)[0] + "]"
    return read_list(table.replace('["x-5"].map(() => "5")', '["5"]'))


def as_texts(texts):
    return [None if re.fullmatch(r"\|.*\|", text) else text for text in texts]


def test_numbers_as_in_typescript():
    table = read_table('("%j holds %j"')
    assert len(table) == 19
    for texts, expected in table:
        assert [str(number) for number in find_numbers(as_texts(texts))] == expected, texts
    (number,) = find_numbers(["x", "1", ",", "007", ".", "12"])
    assert [(part.at, part.digits, part.place) for part in number.parts] == [(1, "1", 3), (3, "007", 0), (5, "12", -2)]


def test_answers_as_in_typescript():
    calls = re.findall(r"expect\(answer\((.*)\)\)\.(?:toBe\((.*)\)|toBeUndefined\(\));", CASES)
    assert len(calls) == 8
    for given, expected in calls:
        texts = read_list(f"[{given}]")
        found = find_answer(texts, find_numbers(texts))
        assert (None if found is None else str(found)) == (json.loads(expected) if expected else None), texts


def test_truths_as_in_typescript():
    table = read_table('("%j is %s"')
    assert len(table) == 8
    for text, expected in table:
        assert str(parse_truth(text)) == expected, text
    refused = read_table('("%j is not a single number"')
    assert len(refused) == 6 and all(parse_truth(text) is None for text in refused)


def test_comparisons_as_in_typescript():
    calls = re.findall(r'expect\(compare\("(.*)", "(.*)"\)(?:\[0\])?\)\.(?:toEqual\(\[)?(?:toBe\()?(true|false)', CASES)
    assert len(calls) == 8
    for answer, truth, right in calls:
        found = align_true_digits([list(answer)], [truth])
        assert found.right == [right == "true"], (answer, truth)


def test_each_digit_of_the_answer_has_the_true_one_at_its_place():
    texts = [
        ["so", " 1", "8", "6"],
        ["1", "8", "####", " 5"],
        ["3", ".", "5", "0"],
        ["x"],
        ["12", "3"],
        ["7"],
        ["4"],
    ]
    found = align_true_digits(texts, ["the answer #### 581", "45", "3.5", "1", "1,243", "x = 2", None])
    assert found.digit_positions == [[1, 2, 3], [3], [0, 2, 3], [], [1], [], []]
    assert found.digit_ground_truth == [[5, 8, 1], [5], [3, 5, 0], [], [3], [], []]
    assert found.answers == ["186", "5", "3.50", None, "123", "7", "4"]
    assert found.right == [False, False, True, None, False, None, None]
    assert (found.without_answer, found.truth_not_a_number, found.without_truth) == (1, 1, 1)
    # The guide's 186: how far each digit is from the true one.
    sure = np.full((1, 4, 10), -np.inf)
    sure[0, [1, 2, 3], [1, 8, 6]] = 0.0
    loss = number_token_loss(sure, found.digit_positions[:1], found.digit_ground_truth[:1])
    assert loss["ntl_loss"] == pytest.approx((16 + 0 + 25) / 3) and loss["correct_digits"] == 1


def test_ids_with_a_tokenizer_and_a_mask():
    class SentencePiece:
        """Drops the space at the start of a text."""

        pieces = ("0", "1", "2", " 7", "a", ".")

        def decode(self, ids):
            return "".join(self.pieces[token] for token in ids).removeprefix(" ")

    ids = np.array([[1, 2, 3, 4], [1, 5, 2, 2]])
    found = align_true_digits(ids, ["7", "1.2"], SentencePiece())
    # The space before 7 begins a new number.
    assert found.answers == ["7", "1.22"] and found.digit_ground_truth == [[7], [1, 2, 0]]
    masked = align_true_digits(ids, ["12", "1.2"], SentencePiece(), [[1, 1, 0, 1], [1, 1, 1, 0]])
    assert masked.answers == ["12", "1.2"] and masked.right == [True, True]
    with pytest.raises(ValueError, match="no tokenizer"):
        align_true_digits(ids, ["7", "1"])
    with pytest.raises(ValueError, match="answers has 1 sequences, tokens 2"):
        align_true_digits(ids, ["7"], SentencePiece())
    with pytest.raises(ValueError, match="response_mask has 3 tokens in sequence 0, tokens 4"):
        align_true_digits(ids, ["7", "1"], SentencePiece(), [[1, 1, 1], [1, 1, 1]])
