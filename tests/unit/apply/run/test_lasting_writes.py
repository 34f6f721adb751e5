"""Power cuts during writes of state files: the old or the new version survives, and completed writes are
durable.

The sync calls are real. They are recorded, and every state that they allow is checked.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.lasting import Files, LastingFolder, states_during
from wizard.apply.conversion.commit import FILE, SCHEMA, ConvertedFilesystem
from wizard.apply.engine.record import Phase, Record, save_record
from wizard.apply.run.backup_store import Environment, mark_durably, replace_document
from wizard.apply.run.journal import Journal
from wizard.apply.run.runs import make_run
from wizard.apply.system.edited_file import edit
from wizard.model.errors import Failed
from wizard.model.run import Event


def held(states: list[Files], name: str) -> set[bytes | None]:
    return {state.get(name) for state in states}


def test_model_loses_unsynced_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "old").write_bytes(b"old")

    def carelessly() -> None:
        (tmp_path / "new").write_bytes(b"new")
        (tmp_path / "new").rename(tmp_path / "old")

    _during, after = states_during(monkeypatch, tmp_path, carelessly)
    assert {b"old", b"", b"new"} <= held(after, "old")
    lasting = LastingFolder(tmp_path)
    assert list(lasting.states()) == [{"old": b"new"}]
    lasting.close()


def test_journal_entry_lasts_and_preserves_earlier_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(tmp_path)
    journal.add(Event.STARTED, "First.")
    first = (tmp_path / "journal.jsonl").read_bytes()
    during, after = states_during(
        monkeypatch, tmp_path, lambda: journal.add(Event.STEP_STARTED, "Second.", step=1)
    )
    assert all((data or b"").startswith(first) for data in held(during, "journal.jsonl"))
    assert held(after, "journal.jsonl") == {(tmp_path / "journal.jsonl").read_bytes()} != {first}
    journal.close()


def test_new_journal_lasts_with_its_first_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def begin() -> None:
        journal = Journal(tmp_path)
        journal.add(Event.STARTED, "First.")
        journal.close()

    _during, after = states_during(monkeypatch, tmp_path, begin)
    assert after == [{"journal.jsonl": (tmp_path / "journal.jsonl").read_bytes()}]


def phases(folder: Path) -> tuple[str, Callable[[], object], Callable[[], object]]:
    before, after = (Record(phase) for phase in (Phase.SAVED, Phase.CLEARING))
    return "rehearsed.json", lambda: save_record(folder, before), lambda: save_record(folder, after)


def fstab(folder: Path) -> tuple[str, Callable[[], object], Callable[[], object]]:
    return (
        "fstab",
        lambda: (folder / "fstab").write_text("# old\n"),
        lambda: edit(folder / "fstab", lambda _: "# new\n"),
    )


def converted(folder: Path) -> tuple[str, Callable[[], object], Callable[[], object]]:
    before, after = (ConvertedFilesystem("uuid", 4096, "", new) for new in ("00", "01"))
    return (
        "filesystem.json",
        lambda: replace_document(folder / FILE, SCHEMA, before),
        lambda: replace_document(folder / FILE, SCHEMA, after),
    )


@pytest.mark.parametrize("case", [phases, converted, fstab])
def test_replaced_file_is_the_old_or_the_new_one(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    case: Callable[[Path], tuple[str, Callable[[], object], Callable[[], object]]],
) -> None:
    name, make, replace = case(tmp_path)
    make()
    old = (tmp_path / name).read_bytes()
    during, after = states_during(monkeypatch, tmp_path, replace)
    new = (tmp_path / name).read_bytes()
    assert old != new
    assert held(during, name) <= {old, new}
    assert held(after, name) == {new}, "it is said to be written, and the power can still take it away"


def test_marker_lasts_once_created(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _during, after = states_during(monkeypatch, tmp_path, lambda: mark_durably(tmp_path / "undoing"))
    assert after == [{"undoing": b""}]
    with pytest.raises(Failed, match="Cannot write "):
        mark_durably(tmp_path / "missing/undoing")


def test_new_run_lasts_completely(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _during, after = states_during(
        monkeypatch,
        tmp_path,
        lambda: make_run(tmp_path, ("/dev/sdx",), "plan.json", "the plan", Environment()),
    )
    (state,) = after
    assert sorted(Path(name).name for name in state) == ["counter", "plan.json", "run.json"]
    assert b"the plan" in state.values()
