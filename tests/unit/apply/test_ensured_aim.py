"""The target of an entry in a file, after the targets of previous entries."""

from pathlib import Path

from tests.unit.machines import machine
from tests.unit.plan.desired_state.test_ensured import ENCRYPTED, HEAD, VOLUME
from tests.unit.plan.desired_state.test_several import MIRROR, ONE, OTHER
from tests.unit.plan.layouts import EVERYTHING
from wizard.apply.ensure.compare_mounts import Where
from wizard.apply.ensure.converge import DriveTarget
from wizard.apply.run.backup_store import Environment
from wizard.plan.desired_state.differences import shapes_wanted
from wizard.plan.desired_state.document import read_wanted


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
