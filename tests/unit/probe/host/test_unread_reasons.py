"""Reasons for unreadable facts: a code with values and a blocker from the source, in each language, and in
old and new recordings."""

import errno
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.unit.probe import rawfacts
from wizard.benchmark.alignment import run_alignment_trial
from wizard.cli.inspect import drive_document
from wizard.cli.main import main
from wizard.documents.codec import to_json
from wizard.findings.diagnose import diagnose, judge_health
from wizard.model.errors import Failed, Refused
from wizard.model.machine import Machine, Obstacle, Use
from wizard.model.said import Message
from wizard.plan.refusals import measured, refuse_content
from wizard.probe import facts as words
from wizard.probe.collect import from_device, from_kernel
from wizard.probe.facts import RawError, RawMachine, Unreadable, not_read
from wizard.probe.host.uses import ANOTHER, ELSEWHERE
from wizard.probe.interpret import machine_of
from wizard.probe.machine import load_facts, load_machine, save_machine

OLD = Path(__file__).with_name("recorded_by_text.json")
"""Recorded when a reason was its text."""

TOLD = words.FAILED(device="/dev/sda", why="Input/output error")
WRITTEN = {
    "what": "contents",
    "why": {
        "english": "Cannot read {device}: {why}.",
        "values": {"device": "/dev/sda", "why": "Input/output error"},
    },
    "obstacle": "failed",
}


def unreadable(*errors: RawError) -> RawMachine:
    return rawfacts.machine(rawfacts.unreadable(errors=errors))


def saved(folder: Path, facts: RawMachine, change: Callable[[dict[str, object]], object]) -> Path:
    """Save a recording with a changed first reason, and return the file."""
    file = folder / "facts.json"
    save_machine(file, facts)
    plain = json.loads(file.read_text())
    change(plain["drives"][0]["errors"][0])
    file.write_text(json.dumps(plain))
    return file


@pytest.mark.parametrize(
    ("number", "said", "obstacle"),
    [
        (errno.EACCES, words.REFUSED, Obstacle.DENIED),
        (errno.EPERM, words.REFUSED, Obstacle.FORBIDDEN),
        (errno.EIO, words.FAILED, Obstacle.FAILED),
    ],
)
@pytest.mark.parametrize("text", ["Etwas anderes", "Permission denied", "Operation not permitted"])
def test_obstacle_follows_the_error_number_not_its_text(
    number: int, said: Callable[..., Message], obstacle: Obstacle, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    told = not_read("table", "/dev/sda", OSError(number, text))
    assert told == RawError("table", said(device="/dev/sda", why=text), obstacle)
    (drive,) = machine_of(unreadable(told)).drives
    assert [(one.why, one.obstacle) for one in drive.unread] == [(told.why, obstacle)]


def test_plain_user_is_asked_for_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    told = not_read("table", "/dev/sda", PermissionError(errno.EACCES, "no"))
    assert told == RawError("table", words.ROOT_READS, Obstacle.DENIED)


def test_libblkid_error_is_a_value_of_the_sentence() -> None:
    error = Unreadable(words.FAILED(device="/dev/sda", why="Permission denied"))
    told = not_read("contents", "/dev/sda1", error)
    assert told == RawError("contents", error.said, Obstacle.FAILED)


def test_unopenable_drive_is_reported_with_the_kernel_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> int:
        raise PermissionError(errno.EPERM, "gesperrt")

    monkeypatch.setattr("os.open", refused)
    monkeypatch.setattr("os.geteuid", lambda: 0)
    errors: list[RawError] = []
    from_device(from_kernel("sdnope"), errors)
    why = words.REFUSED(device="/dev/sdnope", why="gesperrt")
    assert errors == [RawError("contents", why, Obstacle.FORBIDDEN)]


def test_recording_contains_the_message_its_values_and_the_obstacle(tmp_path: Path) -> None:
    facts = unreadable(RawError("contents", TOLD, Obstacle.FAILED))
    file = saved(tmp_path, facts, lambda error: error)
    assert json.loads(file.read_text())["drives"][0]["errors"] == [WRITTEN]
    assert load_facts(file) == facts


def test_old_recording_shows_its_text_and_derives_the_obstacle() -> None:
    drives = load_machine(OLD).drives
    told = {str(one.why): one.obstacle for drive in drives for one in drive.unread}
    assert "Byte 0 could not be read: Input/output error." in told
    assert "Libblkid could not read /dev/sdf: Failed to probe the device." in told
    assert all(error.obstacle is None for drive in load_facts(OLD).drives for error in drive.errors)


def test_text_determines_the_obstacle_only_in_old_recordings(tmp_path: Path) -> None:
    facts = unreadable(RawError("contents", TOLD, Obstacle.FAILED))
    denied = "the kernel refuses to open the device: Permission denied"

    def as_of_old(error: dict[str, object]) -> None:
        del error["obstacle"]
        error["why"] = denied

    def as_of_now(error: dict[str, object]) -> None:
        error["why"] = to_json(words.FAILED(device="/dev/sda", why="Permission denied"))

    old = load_machine(saved(tmp_path, facts, as_of_old)).drives[0].unread
    assert {(str(one.why), one.obstacle) for one in old} == {(f"T{denied[1:]}.", Obstacle.DENIED)}
    new = load_machine(saved(tmp_path, facts, as_of_now)).drives[0].unread
    assert {one.obstacle for one in new} == {Obstacle.FAILED}


def test_recording_with_an_unknown_code_still_loads(tmp_path: Path) -> None:
    def unknown(error: dict[str, object]) -> None:
        error["why"] = {"code": "probe.unread.of-tomorrow", "values": {"device": "/dev/sda"}}

    facts = unreadable(RawError("contents", TOLD, Obstacle.FORBIDDEN))
    (drive,) = load_machine(saved(tmp_path, facts, unknown)).drives
    assert {(str(one.why), one.obstacle) for one in drive.unread} == {
        ("probe.unread.of-tomorrow (device /dev/sda)", Obstacle.FORBIDDEN)
    }


def everything_of(machine: Machine) -> dict[str, str]:
    """Return each output about the first drive."""
    (drive,) = machine.drives
    refused = []
    for refuse in (lambda: measured(drive), lambda: refuse_content(drive, chosen=False)):
        with pytest.raises(Refused) as said:
            refuse()
        refused.append(str(said.value))
    with pytest.raises(Failed) as failed:
        run_alignment_trial(drive, write=False, on_progress=lambda _: None, stop=lambda: False)
    found = diagnose(machine, drive, ())
    return {
        "the finding": " ".join(str(one.sentence) for one in found.findings if one.code == "drive-unread"),
        "the clues": " ".join(str(clue.says) for clue in found.recording.evidence),
        "health": str(judge_health(drive).said[0]),
        "the refusal to measure": refused[0],
        "the refusal to erase": refused[1],
        "the trial": str(failed.value),
    }


def test_reasons_are_translated_in_every_place(pseudo_language: None) -> None:
    said = words.FAILED(device="/dev/sda", why="Input/output error")
    errors = tuple(
        RawError(what, said, Obstacle.FAILED) for what in ("geometry", "contents", "smart", "drive")
    )
    machine = machine_of(replace(unreadable(*errors), root=True))
    machine = replace(machine, drives=(replace(machine.drives[0], geometry=None),))
    for place, told in everything_of(machine).items():
        assert "⟦Çáññöt réád /dev/sda: Input/output error." in told, place


@pytest.mark.parametrize(
    ("use", "says", "by"),
    [
        (Use("mounted", "/dev/sda", ELSEWHERE), "á híddéñ löçátíöñ", "a hidden location"),
        (Use("opened", "/dev/sda", ANOTHER), "áñöthér prögrám", "another program"),
    ],
)
def test_device_without_a_path_is_named_in_the_user_language(
    use: Use, says: str, by: str, pseudo_language: None
) -> None:
    machine = machine_of(rawfacts.machine(rawfacts.drive()))
    drive = replace(machine.drives[0], uses=(use,))
    diagnosis = diagnose(machine, drive, ())
    (found,) = (one for one in diagnosis.findings if one.code.startswith("use-"))
    assert says in str(found.sentence)
    assert drive_document(drive, diagnosis)["uses"] == [{"kind": use.kind, "subject": "/dev/sda", "by": by}]


def test_command_translates_reasons_and_json_is_english(
    tmp_path: Path, pseudo_language: None, capsys: pytest.CaptureFixture[str]
) -> None:
    file = saved(tmp_path, unreadable(RawError("contents", TOLD, Obstacle.FAILED)), lambda error: error)
    assert main(["inspect", "--machine", str(file)]) == 0
    assert "Çáññöt réád /dev/sda: Input/output" in " ".join(capsys.readouterr().out.split())
    assert main(["inspect", "--machine", str(file), "--json"]) == 0
    (drive,) = json.loads(capsys.readouterr().out)["drives"]
    assert drive["unread"][0] == {
        "what": "table",
        "why": "Cannot read /dev/sda: Input/output error.",
        "obstacle": "failed",
    }
