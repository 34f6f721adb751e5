"""Progress of programs: reported by e2fsck, measured for others, and counts in the final output."""

import os
import subprocess
import sys
from pathlib import Path
from queue import Queue

import pytest

from tests.unit.ext4.extimages import EXT3, facts, made
from wizard.apply.conversion.verify import ProgressParser, share_of
from wizard.apply.run.process import read_by, watched_effort
from wizard.model.said import MIB
from wizard.operations.ext4 import (
    CHECKER,
    AddChecksums,
    CheckFiles,
    Effort,
    OnDevice,
    SetFeatures,
    WidenBlockNumbers,
    WidenInodes,
    accepted,
    extent_share,
)
from wizard.process.output import Listener
from wizard.process.program import run


def test_passes_add_up_and_never_decrease() -> None:
    told = [share_of(turn, done, 10) for turn in range(1, 6) for done in range(11)]
    assert told == sorted(told) and told[0] == 0.0 and told[-1] == 1.0
    assert share_of(1, 5, 10) == pytest.approx(0.35) and share_of(2, 0, 0) == pytest.approx(0.9)


def test_only_progress_lines_are_reported() -> None:
    told: list[float] = []
    heed = ProgressParser(told.append)
    for line in ("1 5 10 /dev/sda1", "1 6 10 /dev/sda1", "no progress", "2 5 10 old films"):
        heed(line)
    assert told == pytest.approx([0.35, 0.42, 0.8])


def test_command_writes_to_its_own_pipe(tmp_path: Path) -> None:
    lines: list[str] = []
    with Listener(lines.append) as listener:
        code = (
            f"import os; os.write({listener.end}, b'1 2 3 x\\n4 5'); print('found'); "
            f"os.write({listener.end}, b' 6 y')"
        )
        done = run([sys.executable, "-I", "-c", code], seconds=60, keep_open=(listener.end,))
    assert lines == ["1 2 3 x", "4 5 6 y"] and done.output == "found\n"
    with pytest.raises(OSError, match="Bad file"):
        os.fstat(listener.end)


READS_AND_WAITS = "open('/dev/zero', 'rb', 0).read(600_000); print('read', flush=True); input()"


def test_progress_of_a_silent_program_is_its_bytes_read(tmp_path: Path) -> None:
    heard: Queue[float] = Queue()
    node = str(tmp_path / "which no kernel counts")
    with (
        subprocess.Popen(
            [sys.executable, "-I", "-c", READS_AND_WAITS], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as process,
        watched_effort(node, Effort(600_000, 1_400_000), heard.put, 0.001) as begin,
    ):
        assert process.stdout and process.stdin and process.stdout.readline() == b"read\n"
        assert heard.empty()
        begin(process.pid)
        assert heard.get(timeout=60) == 0.3
        process.stdin.close()


def test_ended_process_reports_no_progress(tmp_path: Path) -> None:
    heard: list[float] = []
    with subprocess.Popen(["true"]) as process:
        process.wait()
    with watched_effort(str(tmp_path), Effort(1, 1), heard.append, 0.0) as begin:
        begin(process.pid)
    assert heard == []


def test_every_command_has_a_share_of_its_step() -> None:
    assert WidenInodes().parts(1) == ((0.0, 1.0),) and CheckFiles().parts(2) == (
        (0.0, 0.5),
        (0.5, 1.0),
    )
    assert AddChecksums().parts(2) == ((0.0, 0.3), (0.3, 1.0))


@pytest.mark.parametrize("block", ["1024", "4096"])
def test_expected_reads_of_silent_programs_match(tmp_path: Path, block: str) -> None:
    image = made(tmp_path, *EXT3, "-b", block, "-N", "30000", "-J", "size=4", size_bytes=48 * MIB)
    operations: tuple[OnDevice, ...] = (
        WidenInodes(),
        SetFeatures(("extent",)),
        WidenBlockNumbers(),
        AddChecksums(),
    )
    for operation in operations:
        expected = operation.effort(facts(image))
        for argv in operation.commands(str(image)):
            with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                # It is not reaped yet, so what the kernel counted is still there.
                os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
                done = read_by(process.pid)
            assert process.returncode in accepted(argv)
            if argv[0] != CHECKER and expected is not None:
                assert 0.6 < done / expected.read_bytes < 1.7, (operation, done, expected)


SAID = """
             # of inodes with ind/dind/tind blocks: 0/0/0
             Extent depth histogram: {depths}
        1201 regular files
           {folders}
           0 links
           {links}
"""


@pytest.mark.parametrize(
    ("depths", "folders", "links", "share"),
    [
        ("1230/3", "32 directories", "0 symbolic links (0 fast symbolic links)", (1233, 1233)),
        ("1200/3", "1 directory", "2 symbolic links (1 fast symbolic link)", (1203, 1203)),
        ("1200", "2 directories", "0 symbolic links (0 fast symbolic links)", (1200, 1203)),
    ],
)
def test_share_of_files_mapped_by_extents(
    depths: str, folders: str, links: str, share: tuple[int, int]
) -> None:
    assert extent_share(SAID.format(depths=depths, folders=folders, links=links)) == share


def test_without_extents_no_files_are_mapped_by_them() -> None:
    said = "1201 regular files\n 2 directories\n 0 symbolic links (0 fast symbolic links)"
    assert extent_share(said) == (0, 1203)
