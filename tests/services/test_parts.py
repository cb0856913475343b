"""Parts: what a dead process has left is removed, and no other's."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from budgetree.services import files
from budgetree.services.files import PART, part_name, remove_orphans, write_text

pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes are looked up as POSIX has them")
KILLED = """
import sys, time
from budgetree.services.files import replacing
with replacing(sys.argv[1]) as file:
    file.write("half")
    file.flush()
    print("writing", flush=True)
    time.sleep(60)
"""


def test_a_killed_process_leaves_a_part_that_the_next_writing_removes(tmp_path: Path) -> None:
    target = tmp_path / "model.json"
    write_text(target, "old")
    with subprocess.Popen([sys.executable, "-c", KILLED, str(target)], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        write_text(tmp_path / "other.json", "beside it")
        (part,) = tmp_path.glob(".*.part")  # it lives: its part stays
        writer.kill()
    assert (target.read_text(), part.exists()) == ("old", True)
    write_text(tmp_path / "other.json", "again")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["model.json", "other.json"]


def test_only_parts_of_dead_processes_of_this_machine_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = part_name()
    found = PART.fullmatch(mine)
    assert found is not None
    machine, number, began = found.groups()
    kept = [
        mine,
        f".budgetree-{int(machine, 16) ^ 1:08x}-{number}-1-ab.part",  # of another machine
        f".budgetree-{machine}-{number}-0-ab.part",  # a process that lives, of a system that says no times
        f".budgetree-{machine}-1-0-ab.part",  # somebody else's process, which we may not signal
        ".0123456789ab.part",
        "model.json.part",
        f".budgetree-{machine}-{number}.part",
    ]
    gone = [f".budgetree-{machine}-{number}-{int(began) + 1}-ab.part"]  # the number was given again
    for name in (*kept, *gone):
        (tmp_path / name).write_text("")
    folder = tmp_path / f".budgetree-{machine}-{number}-{int(began) + 2}-cd.part"
    folder.mkdir()
    (folder / "report.html").write_text("")
    remove_orphans(tmp_path)
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted(kept)
    monkeypatch.setattr(files.os, "name", "nt")
    (tmp_path / gone[0]).write_text("")
    remove_orphans(tmp_path)
    assert (tmp_path / gone[0]).exists()


def test_a_folder_that_cannot_be_read_is_no_obstacle(tmp_path: Path) -> None:
    remove_orphans(tmp_path / "nowhere")


def test_names_differ_also_within_a_process() -> None:
    assert len({part_name() for _ in range(100)}) == 100
