"""An encrypted volume that is there, held against how it is wanted to be used. Whether its key opens it
is for the lab."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.machines import drive
from tests.unit.plan.desired_state.test_ensured import ENCRYPTED, HEAD, in_container, made
from wizard.apply.ensure import layers
from wizard.apply.ensure.layers import container_faults, places_at_boot
from wizard.apply.run.backup_store import Environment
from wizard.model.machine import Drive, Signature
from wizard.plan.desired_state.document import read_wanted, requests_of

INSIDE = Signature("ext4", "filesystem", label="media", uuid="f" * 36)
CRYPTTAB = f"# opened\nluks-x UUID={'c' * 36} /etc/keys/m.key luks,nofail\n"
FSTAB = f"UUID={'f' * 36} /srv/m ext4 defaults,nofail 0 2\n"


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    (tmp_path / "crypttab").write_text(CRYPTTAB)
    (tmp_path / "fstab").write_text(FSTAB)
    return Environment(fstab=tmp_path / "fstab")


def there(mount_points: tuple[str, ...] = ("/srv/m",)) -> Drive:
    """The drive with its container open and mounted."""
    found = in_container(made(ENCRYPTED)[0], drive(serial="A"), INSIDE)
    return replace(found, layers=(replace(found.layers[0], mount_points=mount_points),))


def told(of: Drive, environment: Environment, monkeypatch: pytest.MonkeyPatch, *, opens: bool = True) -> str:
    monkeypatch.setattr(layers, "read_key", lambda path: b"key")
    monkeypatch.setattr(layers, "opens", lambda device, secret: opens)
    plan, _ = made(ENCRYPTED)
    (volume,), (asked,) = plan.volumes, requests_of(read_wanted(HEAD + ENCRYPTED, "w.toml").drive[0])
    assert volume.encryption is not None
    return " ".join(map(str, container_faults(volume, volume.encryption, asked, of, environment)))


def test_open_listed_and_mounted_it_is_as_wanted(
    environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert told(there(), environment, monkeypatch) == ""
    assert places_at_boot(there(), there().partitions[0].path, environment) == ("/srv/m",)


def test_a_doubt_is_called_a_doubt(environment: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = replace(there(), layers=())
    said = told(closed, environment, monkeypatch)
    assert (
        f"contents of {closed.partitions[0].path} are unknown" in said
        and "--key-file /etc/keys/m.key" in said
    )
    assert "does not open" in told(there(), environment, monkeypatch, opens=False)


@pytest.mark.parametrize(
    ("crypttab", "fstab", "mounted", "why"),
    [
        ("", FSTAB, ("/srv/m",), "lacks an entry to open"),
        (f"#{CRYPTTAB[10:]}", FSTAB, ("/srv/m",), "lacks an entry to open"),
        (CRYPTTAB.replace("/m.key", "/other.key"), FSTAB, ("/srv/m",), "lacks an entry to open"),
        (CRYPTTAB.replace("/etc/keys/m.key", "none"), FSTAB, ("/srv/m",), "lacks an entry to open"),
        (CRYPTTAB * 2, FSTAB, ("/srv/m",), "lacks an entry to open"),
        (CRYPTTAB, "", ("/srv/m",), "lacks an entry to mount"),
        (CRYPTTAB, FSTAB.replace("/srv/m", "/srv/n"), ("/srv/n",), "instead of /srv/m"),
        (CRYPTTAB, FSTAB, (), "is not mounted at /srv/m"),
        (CRYPTTAB, FSTAB, ("/srv/n",), "is not mounted at /srv/m"),
    ],
)
def test_what_is_missing_is_told(
    crypttab: str,
    fstab: str,
    mounted: tuple[str, ...],
    why: str,
    environment: Environment,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    environment.crypttab.write_text(crypttab)
    environment.fstab.write_text(fstab)
    assert why in told(there(mounted), environment, monkeypatch)
