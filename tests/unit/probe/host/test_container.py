"""A container is not a live medium despite its overlay root, and rarely mounts by its fstab."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.unit.machines import drive, machine
from tests.unit.plan.layouts import spec
from tests.unit.probe import rawfacts
from wizard.plan.dangers import FORGOTTEN
from wizard.plan.planner import make_plan
from wizard.plan.request.plan_request import NewVolumes
from wizard.probe.host import environment
from wizard.probe.host.environment import container_signs, is_container
from wizard.probe.interpret import machine_of

KERNEL = {"/proc/2/comm": "kthreadd"}
OVERLAY = "20 1 0:30 / / rw - overlay overlay rw"


@pytest.mark.parametrize(
    ("signs", "is_one"),
    [
        ({}, False),
        (KERNEL, False),
        ({"/run/systemd/container": "systemd-nspawn"}, True),
        ({"/run/host/container-manager": "oci"}, True),
        ({"/proc/1/environ": "lxc", **KERNEL}, True),
        ({"/run/.containerenv": "", "/proc/2/comm": "conmon"}, True),
        ({"/.dockerenv": ""}, True),
        ({"/.dockerenv": "", "/proc/2/comm": "bash"}, True),
        # A computer that was started from what had been Docker's image.
        ({"/.dockerenv": "", **KERNEL}, False),
    ],
)
def test_container_is_detected_by_the_environment_of_init(signs: dict[str, str], *, is_one: bool) -> None:
    assert is_container(signs) is is_one
    raw = replace(rawfacts.machine(), graph=rawfacts.graph(OVERLAY), container=signs)
    found = machine_of(raw)
    assert (found.live_medium, found.in_container) == (not is_one, is_one)


def test_only_that_one_variable_of_the_first_process_is_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, held in (("environ", "SECRET=x\0container=podman\0A=b\0"), ("comm", "bash\n"), ("docker", "")):
        (tmp_path / name).write_text(held)
    monkeypatch.setattr(environment, "NAMES", (str(tmp_path / "manager"),))
    monkeypatch.setattr(environment, "PODMAN", str(tmp_path / "podman"))
    for name in ("FIRST", "KERNEL", "DOCKER"):
        file = {"FIRST": "environ", "KERNEL": "comm", "DOCKER": "docker"}[name]
        monkeypatch.setattr(environment, name, str(tmp_path / file))
    assert container_signs() == {
        str(tmp_path / "environ"): "podman",
        str(tmp_path / "comm"): "bash",
        str(tmp_path / "docker"): "",
    }


def test_plan_in_a_container_doubts_that_fstab_is_read() -> None:
    asked = (spec("ext4", label="media", mount_point="/srv/media"),)
    for around, doubt in (
        (machine(in_container=True), FORGOTTEN),
        (machine(live_medium=True), FORGOTTEN),
        (machine(), None),
    ):
        plan = make_plan(around, (drive(),), NewVolumes(asked))
        assert [one for one in plan.doubts if one == FORGOTTEN] == [one for one in (doubt,) if one]
