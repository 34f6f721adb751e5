"""crypttab is parsed as at boot. Compares with systemd's generator if installed."""

import subprocess
from pathlib import Path

import pytest

from wizard.apply.system.fstab import Opening, parse_crypttab

GENERATOR = Path("/usr/lib/systemd/system-generators/systemd-cryptsetup-generator")
UUID = "7d9fc3cb-0b76-4a4b-a6d2-00000000000"
TEXT = f"""# opened at boot
a UUID={UUID}1 none luks
\tb  UUID="{UUID}2"\tnone luks,nofail

c PARTUUID={UUID}3 /etc/keys/c luks,noauto
d /dev/disk/by-id/ata-X
e LABEL=vault none nofail,luks
swap /dev/sdx2 /dev/urandom swap,cipher=aes-xts-plain64
tmp /dev/sdx3 /dev/urandom tmp=xfs
late /dev/sdx4 /dev/urandom swap,noauto
alone
"""


def test_entries_have_a_name_and_a_device() -> None:
    found = parse_crypttab(TEXT)
    assert [(line.number, line.name) for line in found] == [
        *((2, "a"), (3, "b"), (5, "c"), (6, "d"), (7, "e")),
        *((8, "swap"), (9, "tmp"), (10, "late")),
    ]
    assert found[2] == Opening(
        number=5, source=f"PARTUUID={UUID}3", options=("luks", "noauto"), name="c", key="/etc/keys/c"
    )
    assert (found[3].key, found[1].names(frozenset({("UUID", f"{UUID}2")}))) == ("", True)


@pytest.mark.skipif(not GENERATOR.exists(), reason="systemd's reader of crypttab is not here")
def test_boot_effects_match_the_units_of_systemd(tmp_path: Path) -> None:
    (tmp_path / "crypttab").write_text(TEXT)
    folder = str(tmp_path)
    environment = {"SYSTEMD_CRYPTTAB": f"{folder}/crypttab", "SYSTEMD_PROC_CMDLINE": "quiet"}
    subprocess.run([GENERATOR, folder, folder, folder], env=environment, check=True, timeout=60)
    needed = {unit.name for unit in tmp_path.glob("cryptsetup.target.requires/*")}
    wanted = needed | {unit.name for unit in tmp_path.glob("cryptsetup.target.wants/*")}
    made = {unit.name for unit in tmp_path.glob("systemd-cryptsetup@*") if "makefs" in unit.read_text()}
    found = parse_crypttab(TEXT)
    assert needed == {_unit(line) for line in found if line.may_stop}
    assert made & wanted == {_unit(line) for line in found if line.overwrites}


def _unit(line: Opening) -> str:
    return f"systemd-cryptsetup@{line.name}.service"
