"""A journal that anyone can follow and translate, and that survives a cut in the middle of a line."""

import errno
import fcntl
import json
import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from wizard.apply.run.journal import FILE, Journal, RunState, follow, in_own_words, read_entries, state
from wizard.apply.run.process import Purpose, is_locked, lock_run, unlocked
from wizard.apply.run.runs import check_room, find_run, list_runs, runs_folder
from wizard.apply.run_control import await_end
from wizard.documents.codec import from_json, to_json
from wizard.model.errors import BadInput, Failed, Refused
from wizard.model.run import Event, JournalEntry
from wizard.model.said import Message, join, t, tn


def test_partial_line_is_dropped_and_overwritten(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.add(Event.STARTED, "Begun.")
    journal.close()
    whole = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(whole + b'{"at": "2026')
    assert [entry.sentence for entry in read_entries(tmp_path)] == ["Begun."]
    journal = Journal(tmp_path)
    journal.add(Event.STEP_STARTED, "Next.", step=1)
    assert [(entry.event, entry.step) for entry in read_entries(tmp_path)] == [
        (Event.STARTED, 0),
        (Event.STEP_STARTED, 1),
    ]


def test_damaged_line_is_named(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("nonsense\n")
    with pytest.raises(BadInput, match="line 1 is damaged"):
        read_entries(tmp_path)


@pytest.mark.parametrize(
    ("event", "wanted"),
    [
        (Event.DONE, RunState.DONE),
        (Event.FAILED, RunState.FAILED),
        (Event.STOPPED, RunState.STOPPED),
        (Event.REFUSED, RunState.REFUSED),
        (Event.UNDONE, RunState.UNDONE),
        (Event.STEP_DONE, RunState.INTERRUPTED),
        (Event.NOT_VERIFIED, RunState.INTERRUPTED),
    ],
)
def test_states(tmp_path: Path, event: Event, wanted: RunState) -> None:
    journal = Journal(tmp_path)
    lock = lock_run(tmp_path)
    journal.add(Event.STARTED, "Begun.")
    assert state(tmp_path) is RunState.RUNNING
    journal.add(event, "So it went.")
    if wanted is RunState.INTERRUPTED:
        assert state(tmp_path) is RunState.RUNNING
    os.close(lock)
    assert state(tmp_path) is wanted
    journal.add(Event.STARTED, "Going on.")
    assert state(tmp_path) is RunState.INTERRUPTED, "taken up and then gone without a word"


def test_following_ends_with_the_process(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    lock = lock_run(tmp_path)
    journal.add(Event.STARTED, "Begun.")
    following = follow(tmp_path)
    assert next(following).sentence == "Begun."
    journal.add(Event.STEP_STARTED, "One.", step=1)
    assert next(following).sentence == "One."
    journal.add(Event.STEP_DONE, "One is done.", step=1)
    os.close(lock)
    assert [entry.sentence for entry in following] == ["One is done."]
    assert [entry.sentence for entry in follow(tmp_path, after=2)] == ["One is done."]


def test_keep_reports_the_failed_check(tmp_path: Path) -> None:
    with closing(Journal(tmp_path)) as journal:
        journal.add(Event.STARTED, "Putting /dev/sda to use.")
        journal.add(Event.VERIFIED, "/dev/sda1 is aligned", output="byte 1048576")
        journal.add(Event.NOT_VERIFIED, "/dev/sda1 is clean", output="e2fsck is not installed")
        journal.add(Event.FAILED, "All steps finished, but 1 check failed.")
    with pytest.raises(Failed, match=r"1 check failed\. /dev/sda1 is clean: e2fsck is not installed$"):
        await_end(tmp_path, Purpose.KEEP, 0)


def test_run_has_one_owner(tmp_path: Path) -> None:
    lock = lock_run(tmp_path)
    assert is_locked(tmp_path)
    with pytest.raises(Refused, match="Another process is working on"):
        lock_run(tmp_path, wait_seconds=0.1)
    os.close(lock)
    assert not is_locked(tmp_path)


def test_full_disk_leaves_the_journal_intact(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(tmp_path)
    journal.add(Event.STARTED, "Begun.")
    write = os.write

    def full(fd: int, data: bytes) -> int:
        write(fd, data[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(Failed, match="the disk is full"):
        journal.add(Event.DONE, "Done.")
    monkeypatch.undo()
    journal.add(Event.STEP_STARTED, "Next.", step=1)
    assert len(read_entries(tmp_path)) == 2


def test_runs_are_found_by_name_path_or_age(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISKWRIGHT_STATE", str(tmp_path))
    assert runs_folder() == tmp_path / "runs"
    assert list_runs() == ()
    with pytest.raises(BadInput, match="No runs in"):
        find_run(None)
    names = ["20261120-101500-sda", "20261120-101500-sda-2", "20261121-091500-nvme0n1"]
    for name in reversed(names):
        (tmp_path / "runs" / name).mkdir(parents=True)
        Journal(tmp_path / "runs" / name).close()
    (tmp_path / "runs" / "not-a-run").mkdir()
    assert [run.name for run in list_runs()] == names
    assert find_run(None).name == names[-1]
    assert find_run(names[0]).name == names[0]
    assert find_run(str(tmp_path / "runs" / names[1])).name == names[1]
    with pytest.raises(BadInput, match="Unknown run"):
        find_run("../../etc")


def test_space_is_reserved_and_released(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[int] = []
    real = os.posix_fallocate

    def take(fd: int, start: int, size: int) -> None:
        taken.append(size)
        real(fd, start, size)

    monkeypatch.setattr(os, "posix_fallocate", take)
    check_room(tmp_path / "made" / "runs", 1024, make=True)
    assert list((tmp_path / "made" / "runs").iterdir()) == []
    check_room(tmp_path / "other" / "runs", 1024, make=False)
    assert not (tmp_path / "other").exists()
    for make in (True, False):
        with pytest.raises(Refused, match="not enough space"):
            check_room(tmp_path, 1 << 60, make=make)
    assert len(taken) == 1, "what is not there is not tried either: it would fill the disk"
    (tmp_path / "file").write_text("")
    with pytest.raises(Refused, match="Not a directory"):
        check_room(tmp_path / "file", 1024, make=True)


def test_free_but_unallocatable_space_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def quota(fd: int, start: int, size: int) -> None:
        raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))

    monkeypatch.setattr(os, "posix_fallocate", quota)
    with pytest.raises(Refused, match="not enough space"):
        check_room(tmp_path / "runs", 1024, make=True)
    assert list((tmp_path / "runs").iterdir()) == []


def test_lent_lock_is_reacquired_or_reported_lost(tmp_path: Path) -> None:
    (tmp_path / "drive").touch()
    mine, other = (os.open(tmp_path / "drive", os.O_RDONLY) for _ in range(2))
    fcntl.flock(mine, fcntl.LOCK_EX)
    with unlocked([mine]):
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.flock(other, fcntl.LOCK_UN)
    with pytest.raises(BlockingIOError):
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    with pytest.raises(Refused, match="Another program locked"), unlocked([mine], wait_seconds=0):
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(mine)
    os.close(other)


NOTHING = t("Nothing was written.")
REGIONS = tn("1 region with {size:exact}", "{count} regions with {size:exact}", count=3, size=4096)
SAID = [
    NOTHING,
    REGIONS,
    t("It cannot be kept in {folder}: {why}", folder="/srv", why=REGIONS),
    t("{percent} percent, {left:time} left.", percent=50, left=90.5),
    join(t("{drives:and} are left alone.", drives=("/dev/sda", "/dev/sdb")), NOTHING),
]
OLD = {
    "at": "2026-11-20T10:00:00.000+00:00",
    "event": "started",
    "step": 0,
    "sentence": "Applying 3 steps to /dev/sda.",
    "command": [],
    "output": "",
}


def written(folder: Path, *lines: dict[str, object]) -> None:
    (folder / FILE).write_text("".join(f"{json.dumps(line)}\n" for line in lines))


def newer(said: object) -> dict[str, object]:
    return {name: value for name, value in OLD.items() if name != "sentence"} | {"said": said}


@pytest.mark.parametrize("said", SAID, ids=lambda said: said.english[:20])
def test_entry_stores_code_and_values(tmp_path: Path, said: Message) -> None:
    journal = Journal(tmp_path)
    added = journal.add(Event.STEP_DONE, said, step=2, command=("mkfs", "x"), output="done")
    journal.close()
    assert read_entries(tmp_path) == (added,)
    assert (added.sentence, added.said, added.step, added.output) == (str(said), said, 2, "done")
    (line,) = map(json.loads, (tmp_path / FILE).read_text().splitlines())
    assert "sentence" not in line and line["said"]["english"] == said.english


def test_text_is_stored_as_text(tmp_path: Path) -> None:
    Journal(tmp_path).end(Event.FAILED, "mkfs.ext4 ended with status 1: no such device")
    (entry,) = read_entries(tmp_path)
    assert entry.sentence == "mkfs.ext4 ended with status 1: no such device" and entry.said is None
    assert "said" not in json.loads((tmp_path / FILE).read_text())


def test_last_entry_can_be_a_code(tmp_path: Path) -> None:
    Journal(tmp_path).end(Event.DONE, NOTHING)
    assert read_entries(tmp_path)[-1].said == NOTHING and state(tmp_path) is RunState.DONE


def test_entries_are_translated_for_each_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(tmp_path)
    journal.add(Event.STARTED, NOTHING)
    (here,) = read_entries(tmp_path)
    told: Callable[[str], str] = lambda english: "Es wurde nichts geschrieben."  # noqa: E731
    monkeypatch.setattr("wizard.model.said.Language.one", staticmethod(told))
    assert read_entries(tmp_path)[0].sentence == "Es wurde nichts geschrieben."
    piped = from_json(to_json(here), JournalEntry, "the pipe")
    assert piped.sentence == "Nothing was written."
    assert in_own_words(piped).sentence == "Es wurde nichts geschrieben."


def test_entries_of_an_older_version_are_read(tmp_path: Path) -> None:
    written(tmp_path, OLD)
    (entry,) = read_entries(tmp_path)
    assert (entry.sentence, entry.said, entry.event) == (OLD["sentence"], None, Event.STARTED)
    assert in_own_words(entry) == entry


def test_journal_can_mix_both_forms(tmp_path: Path) -> None:
    written(tmp_path, OLD)
    journal = Journal(tmp_path)
    journal.add(Event.UNDONE, NOTHING)
    assert [entry.sentence for entry in read_entries(tmp_path)] == [OLD["sentence"], "Nothing was written."]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            {"code": "apply.future.moved", "values": {"drive": "/dev/sda", "bytes": 4096}},
            "apply.future.moved (drive /dev/sda, bytes 4096)",
        ),
        ({"code": "apply.run.no-such", "values": {}}, "apply.run.no-such ()"),
        (
            {
                "code": "apply.future.because",
                "values": {"why": {"code": "future.why", "values": {"of": ["a", "b"]}}},
            },
            "apply.future.because (why future.why (of a, b))",
        ),
        (
            {"code": "apply.run.nothing-written", "values": {"where": "/dev/sda"}},
            "apply.run.nothing-written (where /dev/sda)",
        ),
        ({"code": "../../etc", "values": {"x": "\x1b[2J"}}, "../../etc (x ?[2J)"),
        ({"code": "", "values": {}}, " ()"),
    ],
)
def test_message_of_a_newer_version_shows_code_and_values(
    tmp_path: Path, said: dict[str, object], told: str
) -> None:
    written(tmp_path, OLD, newer(said), OLD | {"event": "done"})
    first, entry, last = read_entries(tmp_path)
    assert entry.sentence == told
    assert first.sentence == last.sentence == OLD["sentence"] and state(tmp_path) is RunState.DONE


@pytest.mark.parametrize(
    "said",
    [None, "text", 5, [], {}, {"code": 1, "values": {}}, {"code": "a", "values": 1}, {"english": "a"}],
)
def test_malformed_message_is_damage(tmp_path: Path, said: object) -> None:
    written(tmp_path, newer(said))
    with pytest.raises(BadInput, match="line 1"):
        read_entries(tmp_path)
