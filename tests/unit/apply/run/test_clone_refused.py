"""A clone with the same content instead of the run's drive: only its serial number differs."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from msgspec.structs import replace

from tests.unit.machines import drive, machine
from wizard.apply.block import devices
from wizard.apply.move import run as move_guard
from wizard.apply.plan import identity_check
from wizard.apply.settings import guard as tune_guard
from wizard.model.errors import Refused
from wizard.model.moves import Moves
from wizard.plan.changes import Changes
from wizard.plan.dangers import known_identity

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
