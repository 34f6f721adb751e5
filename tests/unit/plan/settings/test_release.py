"""What to stop on the drives of another system, from the lab's recorded arrays, groups and containers."""

from functools import cache
from pathlib import Path

import pytest
from msgspec.structs import replace

from wizard.apply.remedies import diagnose
from wizard.model.errors import Refused
from wizard.model.machine import Drive, Layer, Machine, Use
from wizard.operations.layers import StopLayer
from wizard.plan.settings.release import plan_release
from wizard.probe.machine import load_machine


@cache
def opened() -> Machine:
    return load_machine(Path(__file__).parents[3] / "machines/stacks/opened.json")


def drive(name: str, machine: Machine | None = None) -> Drive:
    found = (machine or opened()).drive(f"/dev/{name}")
    assert found is not None
    return found


def with_drive(changed: Drive) -> Machine:
    drives = tuple(changed if one.path == changed.path else one for one in opened().drives)
    return replace(opened(), drives=drives)


def stops(name: str) -> tuple[StopLayer, ...]:
    return plan_release(opened(), drive(name))[0]


def test_container_on_a_volume_on_an_array_stops_from_the_top() -> None:
    commands = [" ".join(argv) for one in stops("vdc") for argv in one.commands()]
    stack = [
        "cryptsetup close open-luks-on-lvm-on-md",
        "vgchange --activate n vg_luks_on_lvm_on_md",
        "mdadm --stop /dev/md116",
    ]
    assert [one for one in commands if one in stack] == stack
    assert {*commands} - {*stack} == {"mdadm --stop /dev/md114", "vgchange --activate n vg_lvm_striped"}


@pytest.mark.parametrize("name", ["vda", "vdb", "vdc", "vdd", "vde", "sda"])
def test_layers_stop_after_their_content_and_none_remains(name: str) -> None:
    layers = {layer for one in opened().drives for layer in one.layers}
    remaining = {layer for layer in layers if layer in drive(name).layers}
    for one in stops(name):
        gone = {
            layer
            for layer in remaining
            if layer.path == one.device
            or (one.layer == "lvm" and layer.path.startswith(f"/dev/mapper/{one.device}-"))
        }
        assert gone and not {layer.below for layer in remaining - gone} & {layer.path for layer in gone}
        remaining -= gone
    assert not remaining


@pytest.mark.parametrize("kind", ["mounted", "swap", "running-system", "loop-backing", "opened"])
@pytest.mark.parametrize(
    ("on", "name", "refused"),
    [
        ("/dev/md114", "vdc", True),
        ("/dev/mapper/vg_lvm_striped-data", "vdc", True),
        ("/dev/mapper/open-luks-on-lvm-on-md", "vda", True),
        ("/dev/mapper/vg_lvm-data", "vdc", False),
    ],
)
def test_device_in_use_is_not_stopped(kind: str, on: str, name: str, refused: bool) -> None:
    """The use may be recorded with any drive below."""
    other = drive("vda")
    machine = with_drive(replace(other, uses=(*other.uses, Use(kind, on, "/srv"))))
    subject = drive(name, machine)
    if refused:
        with pytest.raises(Refused, match=on):
            plan_release(machine, subject)
    else:
        plan_release(machine, subject)
    found = diagnose(machine, subject, ()).findings
    offered = {command.argv for one in found for command in one.commands}
    assert (("diskwright", "release", f"/dev/{name}") in offered) is not refused


def test_group_stops_only_with_all_its_drives() -> None:
    with pytest.raises(Refused, match="1 of 2 devices of the volume group vg_lvm_striped"):
        plan_release(replace(opened(), drives=(drive("vdc"),)), drive("vdc"))


def test_devices_started_by_other_programs_are_unchanged() -> None:
    subject = drive("vdd")
    for layer in (
        Layer("bcache", "/dev/bcache0", "/dev/vdd1"),
        Layer("multipath", "/dev/mapper/mpatha", "/dev/vdd"),
        Layer("md raid1", "/dev/md126", "/dev/vdd1"),
        Layer("dm", "/dev/mapper/part1", "/dev/vdd1"),
    ):
        changed = replace(subject, layers=(*subject.layers, layer))
        with pytest.raises(Refused, match=layer.path):
            plan_release(with_drive(changed), changed)


def test_drive_without_layers_is_refused() -> None:
    bare = replace(drive("vdd"), layers=(), uses=())
    with pytest.raises(Refused, match="is active"):
        plan_release(with_drive(bare), bare)


def test_partition_of_an_array_stops_with_it() -> None:
    subject = drive("vdc")
    part = tuple(
        Layer("md", "/dev/md114p1", layer.below) for layer in subject.layers if layer.path == "/dev/md114"
    )
    mapped = Layer("LUKS", "/dev/mapper/inner", "/dev/md114p1")
    changed = replace(subject, layers=(*subject.layers, *part, mapped))
    order = [one.device for one in plan_release(with_drive(changed), changed)[0]]
    assert order.index("/dev/mapper/inner") < order.index("/dev/md114") and "/dev/md114p1" not in order
