"""Existing volumes compared with their wanted use. The lab tests the key."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.unit.machines import drive, machine
from tests.unit.plan.desired_state.test_ensured import ENCRYPTED, HEAD, VOLUME, in_container, made
from tests.unit.plan.desired_state.test_several import MIRROR, ONE, OTHER
from tests.unit.plan.layouts import EVERYTHING
from wizard.apply.ensure import compare_mounts, look
from wizard.apply.ensure.compare_mounts import Where, owner_faults, using_of
from wizard.apply.ensure.converge import DriveTarget
from wizard.apply.ensure.look import DriveAssessment
from wizard.apply.run.backup_store import Environment
from wizard.model.ensure import WantedVolume
from wizard.model.errors import Failed, Refused
from wizard.model.machine import Drive, Signature
from wizard.plan.desired_state.differences import shapes_wanted
from wizard.plan.desired_state.document import read_wanted
from wizard.plan.request.roles import role_by_type
from wizard.plan.request.volume_request import parse_volume

INSIDE = Signature("ext4", "filesystem", label="media", uuid="f" * 36)
CRYPTTAB = f"# opened\nluks-x UUID={'c' * 36} /etc/keys/m.key luks,nofail\n"
FSTAB = f"UUID={'f' * 36} /srv/m ext4 defaults,nofail 0 2\n"


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    (tmp_path / "crypttab").write_text(CRYPTTAB)
    (tmp_path / "fstab").write_text(FSTAB)
    return Environment(fstab=tmp_path / "fstab")


def there(mount_points: tuple[str, ...] = ("/srv/m",)) -> Drive:
    """Return the drive with its container open and mounted."""
    found = in_container(made(ENCRYPTED)[0], drive(serial="A"), INSIDE)
    return replace(found, layers=(replace(found.layers[0], mount_points=mount_points),))


def told(of: Drive, environment: Environment, monkeypatch: pytest.MonkeyPatch, *, opens: bool = True) -> str:
    monkeypatch.setattr(compare_mounts, "read_key", lambda path: b"key")
    monkeypatch.setattr(compare_mounts, "opens", lambda device, secret: opens)
    plan, _ = made(ENCRYPTED)
    requests = read_wanted(HEAD + ENCRYPTED, "w.toml").drive[0].volume
    return " ".join(map(str, using_of(plan, requests, [of], Where(environment))[0]))


def test_open_listed_and_mounted_container_is_as_wanted(
    environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert told(there(), environment, monkeypatch) == ""


def test_uncertainty_is_called_a_doubt(environment: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
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
        ("", FSTAB, ("/srv/m",), "lacks an entry for"),
        (f"#{CRYPTTAB[10:]}", FSTAB, ("/srv/m",), "lacks an entry for"),
        (CRYPTTAB.replace("/m.key", "/other.key"), FSTAB, ("/srv/m",), "lacks an entry for"),
        (CRYPTTAB.replace("/etc/keys/m.key", "none"), FSTAB, ("/srv/m",), "lacks an entry for"),
        (CRYPTTAB * 2, FSTAB, ("/srv/m",), "lacks an entry for"),
        (CRYPTTAB, "", ("/srv/m",), "lacks an entry for"),
        (CRYPTTAB, FSTAB.replace("/srv/m", "/srv/n"), ("/srv/n",), "instead of /srv/m"),
        (CRYPTTAB, FSTAB, (), "is not mounted at /srv/m"),
        (CRYPTTAB, FSTAB, ("/srv/n",), "is mounted at /srv/n instead of /srv/m"),
    ],
)
def test_missing_parts_are_reported(
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


def exported(of: Drive, environment: Environment, monkeypatch: pytest.MonkeyPatch) -> WantedVolume:
    monkeypatch.setattr(look, "resolve_drives", lambda matches: (machine(of), (of,)))
    monkeypatch.setattr(look, "look_at", lambda wanted, where: DriveAssessment(wanted))
    (volume,) = look.as_found(of.path, Where(environment)).wanted.volume
    return volume


def test_container_is_exported_with_its_key(
    environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    volume = exported(there(), environment, monkeypatch)
    assert (volume.encrypt, volume.key, volume.mount) == ("luks2", "/etc/keys/m.key", "/srv/m")
    assert (volume.fs, volume.label, volume.size, volume.writable) == ("ext4", "media", "rest", None)
    closed = replace(there(), layers=())
    with pytest.raises(Refused, match="is encrypted: open it"):
        exported(closed, environment, monkeypatch)
    environment.crypttab.write_text(CRYPTTAB.replace("/etc/keys/m.key", "none"))
    with pytest.raises(Refused, match="is encrypted: open it"):
        exported(there(), environment, monkeypatch)


@pytest.mark.parametrize(
    ("kind", "filesystem", "role"),
    [
        ("c12a7328-f81f-11d2-ba4b-00a0c93ec93b", "vfat", "esp"),
        ("4f68bce3-e8cd-4db1-96e7-fbcaf984b709", "ext4", "root"),
        ("0fc63daf-8483-4772-8e79-3d69d8477de4", "ext4", ""),
        ("0657fd6d-a4ab-43c4-84e5-0933c84b4f4f", "swap", "swap"),
        ("0x83", "ext4", ""),
        (None, "ext4", ""),
    ],
)
def test_partition_type_determines_its_role(kind: str | None, filesystem: str, role: str) -> None:
    assert role_by_type(kind, filesystem) == role


def test_two_arrays_get_two_nodes_and_two_places(tmp_path: Path) -> None:
    (wanted,) = read_wanted(MIRROR.replace("btrfs", "md") + VOLUME, "w.toml").drive
    here, both = machine(ONE, OTHER, tools=EVERYTHING), (ONE, OTHER)
    where = Where(Environment(fstab=tmp_path / "fstab"))
    first = DriveTarget(wanted, here, both, where).planned(None)
    given = (
        frozenset((first.stripe.device, str(first.volumes[0].mount_point))) if first.stripe else frozenset()
    )
    second = DriveTarget(wanted, here, both, Where(where.environment, given=given)).planned(None)
    assert first.stripe and second.stripe and first.stripe.device != second.stripe.device
    assert first.volumes[0].mount_point != second.volumes[0].mount_point


def test_encrypted_volumes_and_subvolumes_are_keyed_by_partition(tmp_path: Path) -> None:
    where = Where(Environment(fstab=tmp_path / "fstab"))
    for volume, places in (
        (ENCRYPTED, ("/srv/m",)),
        (VOLUME + 'fs = "btrfs"\nsubvolume = ["@:/srv/a", "@b:/srv/b"]\n', ("/srv/a", "/srv/b")),
    ):
        (wanted,) = read_wanted(HEAD + volume, "w.toml").drive
        plan = DriveTarget(wanted, machine(ONE, tools=EVERYTHING), (ONE,), where).planned(None)
        (shape,) = shapes_wanted(plan)
        assert [(one.device, one.mount_points) for one in shape.volumes] == [("/dev/sda1", places)]


def test_unreadable_mount_point_is_reported_in_a_sentence() -> None:
    with pytest.raises(Failed, match="/nowhere/here cannot be read: No such file"):
        list(owner_faults(parse_volume("workload=nas,writable=root"), "/nowhere/here", "ext4"))
