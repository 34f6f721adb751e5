"""A drive's identity: one drive under two names, two drives with one serial number, and clones."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from msgspec.structs import replace

from tests.unit.machines import SIZE_BYTES, drive, machine
from tests.unit.plan.layouts import plan_for, spec
from tests.unit.probe import rawfacts
from wizard.apply.block import devices
from wizard.apply.move import run as move_guard
from wizard.apply.plan import identity_check
from wizard.apply.plan.identity_check import check_same_start, drive_fault, tells_who_it_is
from wizard.apply.run.job import check_tokens
from wizard.apply.settings import guard as tune_guard
from wizard.findings.diagnose import diagnose
from wizard.model.errors import Refused
from wizard.model.finding import Severity
from wizard.model.machine import Drive
from wizard.model.moves import Moves
from wizard.operations.settings import rules_name
from wizard.plan.changes import Changes
from wizard.plan.dangers import known_identity
from wizard.probe.facts import RawDrive
from wizard.probe.host import sysfs as attached
from wizard.probe.interpret import machine_of

WWN, OTHER = "naa.5000c500a1b2c3d4", "naa.5000c500a1b2c3d5"


def raw(name: str, wwn: str | None = WWN, serial: str = "Z8400ABC") -> RawDrive:
    sysfs = {key: text for key, text in rawfacts.SYSFS.items() if key != "device/wwid"}
    sysfs |= {"device/wwid": wwn} if wwn else {}
    path = f"/dev/{name}"
    contents = {name: rawfacts.drive().contents["sda"]}  # type: ignore[index]
    pages = rawfacts.drive().vpd | {"80": rawfacts.page(serial.encode())}
    return rawfacts.drive(name=name, path=path, sysfs=sysfs, vpd=pages, contents=contents)


def found(of: Drive) -> dict[str, Severity]:
    codes = ("identity-same-drive", "identity-same-serial")
    return {one.code: one.severity for one in diagnose(machine(of), of, ()).findings if one.code in codes}


@pytest.mark.parametrize(
    ("others", "expected", "tokens"),
    [
        ((), {}, ["Z8400ABC"]),
        ((raw("sdb", OTHER, "OTHER"),), {}, ["Z8400ABC", "OTHER"]),
        ((raw("sdb"),), {"identity-same-drive": Severity.WARNING}, ["sda", "sdb"]),
        ((raw("sdb", OTHER),), {"identity-same-serial": Severity.INFO}, ["sda", "sdb"]),
        ((raw("sdb", None),), {"identity-same-serial": Severity.INFO}, ["sda", "sdb"]),
        ((raw("sdb", WWN, "OTHER"),), {}, ["Z8400ABC", "OTHER"]),
        ((raw("sr0"),), {}, ["Z8400ABC", "sr0"]),
    ],
)
def test_shared_serials_are_found_and_tokens_differ(
    others: tuple[RawDrive, ...], expected: dict[str, Severity], tokens: list[str]
) -> None:
    seen = machine_of(rawfacts.machine(raw("sda"), *others)).drives
    assert found(seen[0]) == expected
    assert [one.token for one in seen] == tokens
    assert len({one.token for one in seen}) == len(seen)


def test_other_drive_counts_when_only_one_is_probed() -> None:
    """`plan /dev/sda` and `tune /dev/sda1` probe a single drive."""
    alone = machine_of(rawfacts.machine(raw("sda"), attached=(raw("sda"), raw("sdb")))).drives[0]
    assert (alone.same_serial, alone.same_wwn, alone.token) == (("/dev/sdb",), ("/dev/sdb",), "sda")


def shared(**changes: object) -> Drive:
    return drive(same_serial=("/dev/sdb",), same_wwn=("/dev/sdb",), **changes)


def test_plan_is_confirmed_by_device_name_with_a_reason() -> None:
    plan = plan_for(shared(), spec("ext4"))
    assert plan.tokens == ("sda",)
    assert any("same identifiers as /dev/sdb" in str(doubt) for doubt in plan.doubts)
    check_tokens(plan, ["sda"])
    with pytest.raises(Refused):
        check_tokens(plan, ["S1"])


def test_tune_has_separate_rules_for_each_drive() -> None:
    one, other = (
        known_identity(machine(shared(path=path)), shared(path=path)) for path in ("/dev/sda", "/dev/sdb")
    )
    assert rules_name(one) != rules_name(other)


def test_shared_serial_does_not_identify_a_drive() -> None:
    known = known_identity(machine(drive()), drive())
    assert tells_who_it_is(known)
    assert tells_who_it_is(replace(known, serial_shared=True))
    assert not tells_who_it_is(replace(known, serial_shared=True, wwn_shared=True))


def test_plan_is_refused_once_another_drive_has_its_serial() -> None:
    known = known_identity(machine(drive()), drive())
    check_same_start(known, drive())
    with pytest.raises(Refused, match="/dev/sdb now reports the same serial number as /dev/sda"):
        check_same_start(known, drive(same_serial=("/dev/sdb",)))


def test_serials_of_all_attached_drives_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    block = tmp_path / "sys/block/sdb"
    (block / "device").mkdir(parents=True)
    for name, text in (("size", "8"), ("dev", "8:16"), ("device/wwid", WWN)):
        (block / name).write_text(f"{text}\n")
    data = tmp_path / "udev"
    data.mkdir()
    (data / "b8:16").write_text("S:disk/by-id/x\nE:ID_SERIAL_SHORT=USB123\nE:ID_FS_LABEL=mine\n")
    monkeypatch.setattr(attached, "SYS", tmp_path / "sys")
    monkeypatch.setattr(attached, "UDEV", data)
    monkeypatch.setattr(attached, "drive_names", lambda: ["sdb", "sr0"])
    (seen,) = attached.attached_drives()
    assert (seen.path, seen.udev, seen.sysfs["device/wwid"]) == (
        "/dev/sdb",
        {"ID_SERIAL_SHORT": "USB123"},
        WWN,
    )


@pytest.mark.parametrize(
    ("serial", "is_shared", "is_attached_anew", "left", "said"),
    [
        ("S1", False, False, False, ""),
        ("S1", False, True, True, ""),
        ("S1", False, True, None, ""),
        ("S1", False, True, False, "the contents differ from the run's"),
        ("S1", True, True, None, "was reattached"),
        ("S1", True, True, True, ""),
        (None, False, False, None, ""),
        (None, False, True, None, "was reattached"),
        (None, False, True, False, "the contents differ from the run's"),
        (None, False, True, True, ""),
    ],
)
def test_every_job_identifies_drives_by_one_rule(
    serial: str | None, is_shared: bool, is_attached_anew: bool, left: bool | None, said: str
) -> None:
    now = drive(serial=serial, wwn=None, diskseq=7)
    known = replace(known_identity(machine(now), now), serial_shared=is_shared, boot_id=None)
    known = replace(known, diskseq=6 if is_attached_anew else 7)
    fault = drive_fault(known, now, lambda: left)
    assert said in str(fault) if said else fault is None


def test_other_serial_or_size_is_another_drive() -> None:
    now = drive(serial="S1", diskseq=7)
    for other in (replace(now, serial="S2"), replace(now, size_bytes=SIZE_BYTES * 2)):
        fault = drive_fault(replace(known_identity(machine(now), now), boot_id=None), other, lambda: True)
        assert fault is not None and "is another drive" in str(fault)


OWN = replace(drive(serial="S1"), diskseq=7)
CLONE = replace(OWN, serial="S2")
KNOWN = replace(known_identity(machine(OWN), OWN), boot_id=None)


def test_settings_are_refused_on_a_clone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tune_guard, "node_fault", lambda *_: "")
    monkeypatch.setattr(tune_guard, "_filesystem_fault", lambda *_: None)
    seen = SimpleNamespace(drive=KNOWN, device=f"{KNOWN.path}1", uuid="the same", wanted=None)
    changes = cast(Changes, seen)
    for there, is_refused in ((OWN, False), (CLONE, True)):
        monkeypatch.setattr(tune_guard, "probe_drive", lambda *_, there=there, **__: there)
        assert bool(tune_guard.device_fault(changes)) is is_refused


def test_move_is_refused_on_an_unidentified_drive(monkeypatch: pytest.MonkeyPatch) -> None:
    """The drive was replugged without a serial number, before the run's first write."""
    nameless = replace(OWN, serial=None, wwn=None)
    known = replace(known_identity(machine(nameless), nameless), boot_id=None, content_digest="planned")
    monkeypatch.setattr(devices, "open_exclusively", lambda *_: "")
    monkeypatch.setattr(devices, "forget_caches", lambda *_: None)
    monkeypatch.setattr(move_guard, "load_notes", lambda *_: (SimpleNamespace(is_begun=False),))
    monkeypatch.setattr(move_guard, "read_entries", lambda *_: ())
    monkeypatch.setattr(move_guard, "move_step", lambda *_: 1)
    monkeypatch.setattr(move_guard, "has_journal", lambda *_: False)
    moves = cast(Moves, SimpleNamespace(drive=known))
    again = replace(nameless, diskseq=8)
    monkeypatch.setattr(identity_check, "probe_again", lambda *_: replace(again, content_digest="planned"))
    move_guard.check_same(Path(), moves)
    monkeypatch.setattr(identity_check, "probe_again", lambda *_: replace(again, content_digest="other"))
    with pytest.raises(Refused):
        move_guard.check_same(Path(), moves)
