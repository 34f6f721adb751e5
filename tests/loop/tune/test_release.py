"""Stopping the layers on a drive and starting them again, with real runs. A kernel may have no md or device
mapper, so a folder stands for sysfs, and scripts that change it for mdadm, LVM and cryptsetup."""

from itertools import compress
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.devices import MakeDrive
from tests.loop.applying import Work, carry_out, said, stand_in, story
from tests.loop.program import MIB, Event, Machine, Purpose, Refused, RunState, probe_machine, state
from tests.loop.tune.tuning import begin, sysfs_in
from wizard.apply.settings import plan_settings, states
from wizard.apply.settings.plan_settings import act
from wizard.model.machine import Drive, Layer, Signature, Use
from wizard.model.requests import Release
from wizard.operations.layers import StopLayer
from wizard.plan.changes import Changes
from wizard.plan.refusals import refuse_drive

UUID = "30973e9e-5295-df18-9431-a0f161f26f0c"
OPEN = "/dev/mapper/open"
FILMS = "/dev/mapper/nas-films"

MDADM = """
case "$1" in
--stop) rm -r "$S"/*/holders/md90; rm -r "$S/md90" ;;
--assemble) for m in {names}; do mkdir -p "$S/$m/holders/md90"; done; mkdir -p "$S/md90/md"
    echo clean > "$S/md90/md/array_state" ;;
--examine) echo MD_UUID=30973e9e:5295df18:9431a0f1:61f26f0c ;;
esac
"""
VGCHANGE = 'test ! -e "$S/dm-1" || { echo "in use" >&2; exit 5; }\nrm -r "$S/dm-0"'
LVCHANGE = 'test -e "$S/md90" || exit 5\nmkdir -p "$S/dm-0/dm"; echo nas-films > "$S/dm-0/dm/name"'
LVS = (
    """echo '{"report":[{"lv":[{"lv_name":"films","lv_active":"active"},"""
    """{"lv_name":"off","lv_active":""}]}]}'"""
)
PVS = """test -e "$S/md90" && set -- '{"pv_name":"/dev/md90","pv_uuid":"pv-uuid","vg_name":"nas"}' || set --
echo '{"report":[{"pv":['"$1"']}]}'"""


def _layered(drive: Drive, there: list[bool]) -> Drive:
    volume = Signature("LVM2_member", "raid", uuid="pv-uuid", group="nas", devices=1)
    layers = (
        Layer("md raid1", "/dev/md90", drive.path, signatures=(volume,)),
        Layer("LVM", FILMS, "/dev/md90"),
        Layer("LUKS", OPEN, FILMS),
    )
    found = tuple(compress(layers, there))
    uses = tuple(Use("holder", layer.below, layer.path) for layer in found)
    member = Signature("linux_raid_member", "raid", uuid=UUID, devices=2, level="raid1")
    return replace(drive, layers=found, uses=uses, signatures=(member,))


def seen(drives: list[str], folder: Path) -> Machine:
    machine = probe_machine(drives)
    there = [name in active(folder) for name in ("md90", "dm-0", "dm-1")]
    return replace(machine, drives=tuple(_layered(one, there) for one in machine.drives))


@pytest.fixture
def stacked(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> tuple[list[str], Path, list[str]]:
    return make_stack(work, make_drive, monkeypatch)


def make_stack(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> tuple[list[str], Path, list[str]]:
    """Two drives with a mirror, which carries a group with a volume with an open container; what stands for
    sysfs; and the nodes that somebody has opened."""
    drives = [make_drive(64 * MIB) for _ in range(2)]
    work.bench.own(drives[0])
    work.bench.own(drives[1])
    names = [Path(drive).name for drive in drives]
    work.fstab.write_text("")
    folder = work.folder / "sys/class/block"
    places = ("md90/md", "dm-0/dm", "dm-1/dm", "dm-1/slaves/dm-0")
    for place in (*places, *(f"{name}/holders/md90" for name in names)):
        (folder / place).mkdir(parents=True)
    (folder / "md90/md/array_state").write_text("clean\n")
    (folder / "dm-0/dm/name").write_text("nas-films\n")
    (folder / "dm-1/dm/name").write_text("open\n")

    def put(name: str, script: str) -> None:
        stand_in(work.folder / "bin", monkeypatch, name, f"S={folder}\n{script}")

    put("mdadm", MDADM.format(names=" ".join(names)))
    put("vgchange", VGCHANGE)
    put("lvchange", LVCHANGE)
    put("lvs", LVS)
    put("pvs", PVS)
    put("cryptsetup", 'rm -r "$S/dm-1"')
    held: list[str] = []

    def claim(node: str) -> str | None:
        return "somebody has it" if node in held else None

    def kernel_name(node: str) -> str:
        return {FILMS: "dm-0", OPEN: "dm-1"}.get(node, Path(node).name)

    monkeypatch.setattr(plan_settings, "probe_machine", lambda _paths: seen(drives, folder))
    monkeypatch.setattr(states, "kernel_name", kernel_name)
    monkeypatch.setattr(states, "sysfs_folder", lambda node: folder / kernel_name(node))
    for module in (plan_settings, states):
        monkeypatch.setattr(module, "open_exclusively", claim)
    monkeypatch.setattr(states, "SYS", work.folder / "sys")
    for module in (plan_settings, states):
        monkeypatch.setattr(module, "sysfs", sysfs_in(work.folder / "sys"))
    return drives, folder, held


def active(folder: Path) -> set[str]:
    return {name for name in ("md90", "dm-0", "dm-1") if (folder / name).exists()}


def planned(work: Work, drive: str) -> Changes:
    return act(drive, Release(), work.environment)


def commands(run: Path) -> list[str]:
    return [" ".join(entry.command[:4]) for entry in said(run, Event.COMMAND) if entry.command]


def test_layers_stop_from_the_top_and_restart_except_the_container(
    work: Work, stacked: tuple[list[str], Path, list[str]]
) -> None:
    drives, folder, _ = stacked
    bytes_before = [work.bench.image_of(drive).read_bytes() for drive in drives]
    with pytest.raises(Refused, match=f"diskwright inspect {drives[0]}"):
        refuse_drive(seen(drives, folder).drives[0])
    run = begin(work, planned(work, drives[0]))
    carry_out(run, Purpose.APPLY, ())
    assert state(run) is RunState.DONE and not active(folder), story(run)
    refuse_drive(seen(drives, folder).drives[0])
    assert commands(run) == [
        "cryptsetup close open",
        "vgchange --activate n nas",
        "mdadm --stop /dev/md90",
    ]
    with pytest.raises(Refused, match="is active"):
        planned(work, drives[0])
    carry_out(run, Purpose.UNDO, ())
    assert state(run) is RunState.UNDONE and active(folder) == {"md90", "dm-0"}, story(run)
    assert commands(run)[3:] == [
        "mdadm --assemble --run /dev/md90",
        "lvchange --yes --ignoreactivationskip --activate",
    ]
    assert "Unlock /dev/mapper/open again" in story(run)
    assert [work.bench.image_of(drive).read_bytes() for drive in drives] == bytes_before


@pytest.mark.parametrize("state_text", ["read-auto", "readonly"])
def test_read_only_array_is_read_only_after_a_restart(
    work: Work, stacked: tuple[list[str], Path, list[str]], state_text: str
) -> None:
    drives, folder, _ = stacked
    (folder / "md90/md/array_state").write_text(state_text)
    changes = planned(work, drives[0])
    assert "--readonly" in changes.steps[-1].undo
    assert not any("superblocks" in str(doubt) for doubt in changes.doubts)


@pytest.mark.parametrize(
    "how", ["before planning", "before starting", "while it runs", "rebuilding", "foreign"]
)
def test_layer_in_use_is_not_stopped(
    work: Work, stacked: tuple[list[str], Path, list[str]], how: str
) -> None:
    drives, folder, held = stacked
    if how in ("rebuilding", "foreign", "before planning"):
        if how == "rebuilding":
            (folder / "md90/md/sync_action").write_text("resync\n")
        elif how == "foreign":
            (folder / "md90/md/metadata_version").write_text("external:imsm\n")
        else:
            held.append(OPEN)
        with pytest.raises(Refused, match="Nothing was written"):
            planned(work, drives[0])
        assert active(folder) == {"md90", "dm-0", "dm-1"}
        return
    run = begin(work, planned(work, drives[0]))
    held.append(OPEN if how == "before starting" else "/dev/md90")
    carry_out(run, Purpose.APPLY, ())
    assert state(run) is RunState.FAILED and "md90" in active(folder), story(run)
    held.clear()
    carry_out(run, Purpose.APPLY, ())
    assert not active(folder), story(run)


def test_array_does_not_start_without_a_member(
    work: Work, stacked: tuple[list[str], Path, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    drives, folder, _ = stacked
    run = begin(work, planned(work, drives[0]))
    carry_out(run, Purpose.APPLY, ())
    absent = f'test "$3" != {drives[1]} || exit 1'
    stand_in(work.folder / "bin", monkeypatch, "mdadm", f"S={folder}\n{absent}\n{MDADM.format(names='')}")
    carry_out(run, Purpose.UNDO, ())
    assert state(run) is not RunState.UNDONE and "Cannot start /dev/md90" in story(run)
    assert not active(folder) and not any("--assemble" in one for one in commands(run)), story(run)


def test_document_for_other_members_is_refused(
    work: Work, stacked: tuple[list[str], Path, list[str]]
) -> None:
    drives, _, _ = stacked
    changes = planned(work, drives[0])
    *above, last = changes.steps
    stop = last.operation
    assert isinstance(stop, StopLayer)
    other = replace(last, operation=replace(stop, members=("/dev/vda",)))
    run = begin(work, replace(changes, steps=(*above, other)))
    carry_out(run, Purpose.APPLY, ())
    assert state(run) is RunState.REFUSED and "may not touch /dev/vda" in story(run)
