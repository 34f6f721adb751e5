"""Loads: the same seed repeats the same operations, and each phase does the work that it reports."""

import errno
import os
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.benchmark.loads.witness import Witness, act, digests
from tests.unit.machines import WORKLOADS
from wizard.advice.workloads import find_workload
from wizard.benchmark.loads.load_table import LOADS, PROGRAMS, phases_of
from wizard.benchmark.loads.script import Contents, LoadPhase, Unit
from wizard.process.program import find

NATIVE = [name for name in LOADS if name not in PROGRAMS]
SCALE = 0.05

COUNTED_FILES: dict[str, Callable[[Witness], int]] = {
    "extract": lambda seen: len(set(seen.made)),
    "create": lambda seen: len(set(seen.made)),
    "fill": lambda seen: len(set(seen.made)),
    "copy": lambda seen: len(set(seen.made)),
    "archive": lambda seen: len(seen.read_of),
    "read": lambda seen: len(seen.read_of),
    "list": lambda seen: len(set(seen.looked)),
    "again": lambda seen: len(set(seen.looked)),
    "delete": lambda seen: len(set(seen.deleted)),
}
"""What a phase that counts files does to each of them."""

COUNTED_OPERATIONS: dict[tuple[str, str], Callable[[Witness], int]] = {
    **{
        (name, "serve"): lambda seen: len(seen.opened) + seen.calls["unlink"] + seen.calls["stat"]
        for name in ("varmail", "webproxy", "fileserver")
    },
    ("postmark", "transactions"): lambda seen: (len(seen.opened) + seen.calls["unlink"]) // 2,
    **{
        (name, "access"): lambda seen: seen.calls["preadv"] + seen.calls["pwrite"]
        for name in ("random-io", "random-sync")
    },
}
"""What a phase that counts operations has to call, and how often."""


def phases(name: str, scale: float = SCALE, seed: int = 1) -> tuple[LoadPhase, ...]:
    return phases_of(name, scale, seed)


def named(name: str, which: str, scale: float = SCALE) -> tuple[list[LoadPhase], LoadPhase]:
    """Return the phases before a named phase, and that phase."""
    found = list(phases(name, scale))
    at = [phase.name for phase in found].index(which)
    return found[:at], found[at]


@pytest.mark.parametrize("name", NATIVE)
def test_same_seed_writes_the_same_bytes(name: str, tmp_path: Path) -> None:
    drawn = phases(name)
    first = digests(drawn, tmp_path / "first")
    assert digests(drawn, tmp_path / "again") == first
    assert digests(phases(name), tmp_path / "drawn-again") == first


@pytest.mark.parametrize("name", NATIVE)
def test_another_seed_writes_other_bytes(name: str, tmp_path: Path) -> None:
    first, *_ = digests(phases(name, seed=1)[:1], tmp_path / "one")
    other, *_ = digests(phases(name, seed=2)[:1], tmp_path / "two")
    assert first != other


@pytest.mark.parametrize("name", NATIVE)
def test_amounts_match_the_work_done(name: str, tmp_path: Path) -> None:
    for phase_ in phases(name):
        with Witness().watching() as seen:
            act(phase_, tmp_path)
        counted = {
            Unit.BYTES: lambda seen: seen.written_bytes + seen.read_bytes,
            Unit.FILES: COUNTED_FILES.get(phase_.name),
            Unit.OPERATIONS: COUNTED_OPERATIONS.get((name, phase_.name)),
        }[phase_.unit]
        assert counted is not None, f"say how the amount of {phase_.name} is seen"
        assert phase_.amount == counted(seen) > 0, phase_.name


@pytest.mark.parametrize("name", NATIVE)
def test_files_are_read_completely(name: str, tmp_path: Path) -> None:
    """Every open in a phase that reads whole files reads the file completely."""
    for phase_ in phases(name):
        if phase_.name not in ("read", "check"):
            act(phase_, tmp_path)
            continue
        with Witness().watching() as seen:
            act(phase_, tmp_path)
        lie_there = {str(path.relative_to(tmp_path)): path.stat().st_size for path in tmp_path.rglob("*")}
        times = Counter(seen.opened)
        assert seen.read_of == {path: lie_there[path] * count for path, count in times.items()}


def test_reading_a_kernel_tree_reads_every_file(tmp_path: Path) -> None:
    before, read = named("kernel-tree", "read")
    for phase_ in before:
        act(phase_, tmp_path)
    with Witness().watching() as seen:
        act(read, tmp_path)
    there = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert set(seen.opened) == {name for name in there if not name.startswith("copy/")}


@pytest.mark.parametrize("name", [name for name in LOADS if phases(name)[-1].name == "delete"])
def test_deleting_leaves_no_files(name: str, tmp_path: Path) -> None:
    *before, delete = phases(name)
    for phase_ in before:
        act(phase_, tmp_path)
    assert list(tmp_path.iterdir())
    act(delete, tmp_path)
    assert list(tmp_path.iterdir()) == []


AT_EVERY_SCALE = {("backup", "again"), ("large-file", "delete")}
"""One segment more, and two files."""


@pytest.mark.parametrize("name", LOADS)
def test_double_scale_doubles_the_work(name: str) -> None:
    small, large = (
        {p.name: p.amount for p in phases(name, scale) if (name, p.name) not in AT_EVERY_SCALE}
        for scale in (0.25, 0.5)
    )
    assert {which: pytest.approx(2.0, rel=0.15) for which in small} == {
        which: large[which] / small[which] for which in small
    }


@pytest.mark.parametrize("name", NATIVE)
def test_smallest_scale_still_runs(name: str, tmp_path: Path) -> None:
    assert all(phase_.amount > 0 for phase_ in phases(name, 0.001))
    digests(phases(name, 0.001), tmp_path / "small")


@pytest.mark.parametrize(
    ("name", "which", "call", "share"),
    [
        ("varmail", "serve", "fsync", 2 / 5),
        ("webproxy", "serve", "fsync", 0),
        ("fileserver", "serve", "fsync", 0),
        ("random-io", "access", "fdatasync", 0),
    ],
)
def test_syncs_match_the_original_program(
    name: str, which: str, call: str, share: float, tmp_path: Path
) -> None:
    before, phase_ = named(name, which)
    for earlier in before:
        act(earlier, tmp_path)
    with Witness().watching() as seen:
        act(phase_, tmp_path)
    assert seen.calls[call] == phase_.amount * share
    assert seen.calls["fsync"] + seen.calls["fdatasync"] == seen.calls[call]


def test_log_entry_is_one_write(tmp_path: Path) -> None:
    """Threads would interleave an entry written in pieces, in a different order each time."""
    (fill,), serve = named("webproxy", "serve")
    act(fill, tmp_path)
    with Witness().watching() as seen:
        act(serve, tmp_path)
    assert seen.writes_of["weblog"] == seen.opened.count("weblog") == serve.amount / 8


def test_database_syncs_every_write(tmp_path: Path) -> None:
    (fill,), access = named("random-sync", "access", scale=0.5)
    act(fill, tmp_path)
    with Witness().watching() as seen:
        act(access, tmp_path)
    assert seen.calls["fdatasync"] == seen.calls["pwrite"] == pytest.approx(access.amount / 4, rel=0.3)


def test_backup_syncs_segments_and_index_before_rename(tmp_path: Path) -> None:
    (), create = named("backup", "create")
    with Witness().watching() as seen:
        act(create, tmp_path)
    folders = 1
    assert seen.calls["fsync"] == len(seen.made) + folders
    assert seen.calls["replace"] == 2
    assert sorted(path.name for path in (tmp_path / "repository").iterdir()) == ["data", "hints", "index"]


def test_rsync_preserves_dates_and_leaves_no_temporary_names(tmp_path: Path) -> None:
    for phase_ in phases("rsync"):
        act(phase_, tmp_path)
        files = [path for path in tmp_path.rglob("*") if path.is_file()]
        assert len(files) == phase_.amount
        assert {int(path.stat().st_mtime) for path in files} == {1_262_304_000}
        assert [path for path in files if path.name.startswith(".")] == []


def test_blocks_of_a_tree_are_unique_and_incompressible(tmp_path: Path) -> None:
    act(phases("kernel-tree", 1.0)[0], tmp_path)
    contents = [path.read_bytes() for path in sorted(tmp_path.rglob("*.c"))]
    blocks = [content[at : at + 4096] for content in contents for at in range(0, len(content) - 4095, 4096)]
    assert len(blocks) > 1000 and len(set(blocks)) == len(blocks)
    joined = b"".join(contents)
    assert len(zlib.compress(joined)) > len(joined)


def test_repeated_draws_give_other_bytes_for_each_file() -> None:
    contents = Contents(1)
    files = [b"".join(contents.take(3_000_000)) for _ in range(5)]
    blocks = [content[at : at + 4096] for content in files for at in range(0, len(content) - 4095, 4096)]
    assert len(set(blocks)) == len(blocks)


def test_long_files_have_their_whole_length() -> None:
    pieces = Contents(1).take(20 * 2**20 + 700, 2**20)
    assert sum(map(len, pieces)) == 20 * 2**20 + 700
    assert {len(piece) for piece in pieces} == {2**20, 700}


@pytest.mark.parametrize("name", ["varmail", "webproxy", "fileserver", "videoserver", "random-io"])
def test_exception_in_a_thread_is_raised(name: str, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        act(phases(name, 0.5)[-1], tmp_path)


def test_full_volume_is_no_success(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "write", lambda _file, piece: len(piece) // 2)
    with pytest.raises(OSError) as caught:
        act(phases("dd-1m")[0], tmp_path)
    assert caught.value.errno == errno.ENOSPC


def test_truncated_file_is_no_success(tmp_path: Path) -> None:
    write, read = phases("dd-1m")
    act(write, tmp_path)
    os.truncate(tmp_path / "file", 1000)
    with pytest.raises(OSError) as caught:
        act(read, tmp_path)
    assert caught.value.errno == errno.EIO


@pytest.mark.skipif(find("fio") is None, reason="fio is not installed")
def test_fio_changes_the_existing_file(tmp_path: Path) -> None:
    fill, access = phases("fio-random")
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        act(fill, folder)
        before = (folder / "file").read_bytes()
        act(access, folder)
        assert [path.name for path in folder.iterdir()] == ["file"]
        assert (folder / "file").stat().st_size == len(before) == fill.amount
        assert (folder / "file").read_bytes() != before
    assert (tmp_path / "one/file").read_bytes() == (tmp_path / "two/file").read_bytes()


@pytest.mark.parametrize("workload", WORKLOADS)
def test_every_workload_has_existing_loads(workload: str) -> None:
    trial = find_workload(workload).trial
    assert trial and len(set(trial)) == len(trial)
    assert all(name in LOADS and name not in PROGRAMS for name in trial)
