"""ARCHITECTURE.md follows the rooms: what it names exists, and what exists is named."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
PACKAGE, CORE = ROOT / "src" / "budgetree", ROOT / "core"


def rooms() -> dict[str, set[str]]:
    """Per folder of the table of rooms, the names that its row has in backticks."""
    found: dict[str, set[str]] = {}
    table = TEXT[TEXT.index("## Rooms") : TEXT.index("## Numbers that add up")]
    for row in re.findall(r"^\| (`.*) \|$", table, re.M):
        head, words, _ = row.split(" | ")
        for room in re.findall(r"`([\w/.]+)`", head):
            found[room] = set(re.findall(r"`(\w+)`", words))
    return found


def folder(room: str) -> Path:
    return CORE if room == "core/" else PACKAGE / room


def modules(place: Path) -> set[str]:
    return {file.name.partition(".")[0] for file in place.iterdir() if file.suffix in (".py", ".hpp", ".cpp")} - {
        "__init__"
    }


def test_every_room_is_in_the_table_and_every_row_is_a_room() -> None:
    listed = {room.rstrip("/") for room in rooms()} - {"core"}
    packages = {str(init.parent.relative_to(PACKAGE)) for init in PACKAGE.rglob("__init__.py")} - {"."}
    files = {name for name in listed if name.endswith(".py")}
    assert listed - files == packages
    assert files == {f"{name}.py" for name in modules(PACKAGE) - {"_version", "__main__"}}


def test_every_module_of_a_room_is_named_there() -> None:
    together = {"show/plots/": "show/export/", "show/export/": "show/plots/"}  # in one row
    for room, names in rooms().items():
        if room.endswith(".py") or room == "cli/":
            continue
        there = {name for name in modules(folder(room)) if not name.endswith("_lanes")}
        shown = {"_frontier", "_tree"} if room == "show/plots/" else set()  # plot_frontier and plot_tree
        assert there - shown <= names, room
        beside = modules(folder(together[room])) if room in together else set()
        assert {name for name in names if name.islower()} - there - beside == set(), room


def test_every_path_in_the_text_exists() -> None:
    for path in re.findall(r"`((?:\w+/)+[\w.]+\.(?:py|pyi|cpp|hpp|js|toml|d\.ts))`", TEXT):
        tried = (ROOT / path, PACKAGE / path, PACKAGE.parent / path, PACKAGE / "report" / path)
        assert any(place.exists() for place in tried), path


def test_a_table_takes_at_most_ten_hops() -> None:
    walk = TEXT[TEXT.index("## One table's way") : TEXT.index("## Rooms")]
    assert 0 < len(re.findall(r"^\d+\. ", walk, re.M)) <= 10


def test_no_module_is_called_like_a_function_that_it_defines() -> None:
    for file in PACKAGE.rglob("*.py"):
        if file.parent.name != "cli":  # a command's file is called like the command
            assert not re.search(rf"^def {file.stem}\(", file.read_text(encoding="utf-8"), re.M), file
