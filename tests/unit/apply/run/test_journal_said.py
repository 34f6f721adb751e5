"""Translation of messages with values from a journal."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from wizard.apply.run.journal import FILE, Journal, RunState, in_own_words, read_entries, state
from wizard.documents.codec import from_json, to_json
from wizard.model.errors import BadInput
from wizard.model.run import Event, JournalEntry
from wizard.model.said import Message, join, t, tn

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
