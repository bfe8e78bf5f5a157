"""The sentinel beside the product and real releases. Those that cannot be had are skipped."""

from collections.abc import Mapping
from typing import Any, Literal

import pytest

from sentinel import product as products
from sentinel import table, wheels
from sentinel.drift import Judged
from sentinel.judge import Reply, ask, compare, judge
from sentinel.load import find_packages, list_names
from sentinel.product import Product


@pytest.fixture(scope="module")
def known() -> Mapping[str, Product]:
    return products.load()


def fetch(which: Literal["pinned", "earlier"]) -> tuple[wheels.Release, list[Any]]:
    try:
        release = wheels.locked("openrlhf", which)
        return release, wheels.unpack(wheels.fetch(release))
    except wheels.Unavailable as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def reply(known: Mapping[str, Product]) -> Reply:
    _, paths = fetch("pinned")
    return ask("openrlhf", paths, [config["text"] for config in known["openrlhf"]["configs"]])


def test_the_product_prints_at_least_two_hundred_configs(known: Mapping[str, Product]) -> None:
    texts = {config["text"] for product in known.values() for config in product["configs"]}
    assert len(texts) >= 200


def test_pinned_releases_are_those_that_the_product_was_written_for(known: Mapping[str, Product]) -> None:
    read = {name: product["read"].get("version") for name, product in known.items()}
    for name in list_names():
        version = read.get(name.replace("_", "-"))
        if version is not None:
            assert wheels.locked(find_packages(name)[0], "pinned").version == version, name


def test_a_key_that_the_loaded_parser_loses_is_noticed(known: Mapping[str, Product], reply: Reply) -> None:
    product = known["openrlhf"]
    assert compare(product, reply) == []
    for key in reply["keys"]:
        if "is_correction" in key["name"]:
            keys = [each for each in reply["keys"] if each is not key]
            [(kind, name, _, file)] = compare(product, {**reply, "keys": keys})
            assert (kind, file) == ("gone", "src/trainers/openrlhf/preset.ts")
            assert key["name"].endswith(name)


def test_the_release_of_half_a_year_before_refuses_what_came_since(known: Mapping[str, Product]) -> None:
    release, paths = fetch("earlier")
    judged = judge("openrlhf", release, paths, known["openrlhf"])
    gone = {drift.key for drift in judged.drift if drift.kind == "gone"}
    assert gone == {"is_correction_level", "is_correction_mode", "is_correction_gating"}
    assert any("unrecognized arguments" in drift.says for drift in judged.drift if drift.kind == "refused")


def test_the_same_release_takes_what_is_printed_for_it(known: Mapping[str, Product]) -> None:
    release, paths = fetch("earlier")
    told = products.load({"openrlhf": release.version})["openrlhf"]
    judged = judge("openrlhf", release, paths, told)
    assert judged.configs > 5
    assert judged.drift == ()


def test_a_module_that_no_longer_reads_the_release_is_drift(tmp_path: Any) -> None:
    release = wheels.Release("openrlhf", "0.0", "2026-01-01", "none.whl", "")
    judged = judge("openrlhf", release, [tmp_path], products.UNKNOWN)
    assert {drift.key for drift in judged.drift if drift.kind == "unreadable"} >= {"keys", "samples"}


def test_the_page_has_a_row_of_each_pinned_release() -> None:
    rows = [[cell.strip("| ") for cell in line.split(" | ")[:3]] for line in table.read().splitlines()[2:]]
    of_modules = [row for row in rows if row[0].replace("-", "_") in list_names()]
    locked = {name: wheels.locked(find_packages(name)[0], "pinned") for name in list_names()}
    assert of_modules == [[name.replace("_", "-"), release.version, release.date] for name, release in locked.items()]


def test_a_row_says_what_was_tried() -> None:
    judged = Judged("some", "some", "1.0", "2026-06-01", 3, 2, 1, None, (1, 2), (), 0.1)
    assert table.make([judged]).splitlines()[-1] == "| some | 1.0 | 2026-06-01 | 3 | 2 | – | 1 of 2 |"
