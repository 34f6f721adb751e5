"""A failed tool proves nothing: data that it could not read does not count as unrecognised."""

from pathlib import Path

import pytest

from tests.devices import MakeDrive
from tests.loop.applying import stand_in
from tests.loop.program import MIB, Failed
from wizard.apply.engine.signatures import SignatureHider


@pytest.mark.parametrize(
    ("program", "script"),
    [
        ("blkid", "exit 4"),
        ("blkid", "exit 8"),
        ("blkid", "kill -9 $$"),
        ("cryptsetup", "exit 4"),
        ("cryptsetup", "kill -9 $$"),
        ("mdadm", "kill -9 $$"),
        ("mount", "kill -9 $$"),
    ],
)
def test_failing_tool_is_an_error(
    make_drive: MakeDrive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, script: str
) -> None:
    drive = make_drive(8 * MIB)
    marking = SignatureHider(drive, 512, 30)
    if program == "mdadm":
        stand_in(tmp_path / "bin", monkeypatch, program, "exit 1")
    marking.refuse_recognised(drive, "ext4")
    stand_in(tmp_path / "bin", monkeypatch, program, script)
    with pytest.raises(Failed):
        marking.refuse_recognised(drive, "ext4")
