"""`diskwright DEVICE`: the wizard opened at a drive or partition."""

from argparse import Namespace

import pytest

from tests.machines import FOLDER
from wizard.cli.main import main
from wizard.cli.open_wizard import begun_at
from wizard.host.services import Services
from wizard.probe.machine import load_machine

FILE = FOLDER / "loops" / "many.json"


def begun(named: str) -> tuple[str, str]:
    services = Services(load_machine(FILE), str(FILE))
    return begun_at(services, Namespace(device=named, machine=FILE))


def test_partition_starts_the_wizard_with_its_drive() -> None:
    drive = next(one for one in load_machine(FILE).drives if one.partitions)
    assert begun(drive.path) == (drive.path, "")
    assert begun(drive.partitions[0].path) == (drive.path, drive.partitions[0].path)
    assert begun("") == ("", "")


@pytest.mark.parametrize("named", ["/dev/sdzz", "./no-such-file"])
def test_non_drive_is_reported(named: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([named, "--plain"]) == 2
    assert "does not exist" in capsys.readouterr().err
    assert main([named, "--plain", "--machine", str(FILE)]) == 2
    assert named in capsys.readouterr().err


def test_command_after_options_is_no_drive(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--journal", "/mnt/usb/runs", "status"]) == 2
    assert "diskwright status ..." in capsys.readouterr().err
