"""Restarts before volumes are mounted: the run finishes on the same drive, even under another name."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.daily import one_in
from tests.devices import tool
from tests.loop.applying import OLD_FSTAB, Work, carry_out, ended, fill, old_gpt, said, spec, stand_in, story
from tests.loop.program import (
    MIB,
    DiskwrightError,
    Event,
    Mode,
    Plan,
    Purpose,
    RunState,
    Stripe,
    Subvolume,
    VolumeSpec,
    keep,
    resume,
    state,
    undo,
)
from tests.loop.volumes.rebooting import Attached, attached, cut_at, cuts, mounted_from, uuid_of
from wizard.model.layout import Writer
from wizard.operations.mounts import Mount, TurnOnSwap

Wishes = Callable[[Path], list[VolumeSpec]]
ANNA = Writer("person", "anna", 12345, 12346)
SIZE = 300 * MIB


def ext4(places: Path) -> list[VolumeSpec]:
    return [replace(spec("ext4", None, places / "media"), writer=ANNA)]


def swap(_places: Path) -> list[VolumeSpec]:
    return [replace(spec("swap", options=()), mount_point="none")]


def ext4_and_swap(places: Path) -> list[VolumeSpec]:
    return [replace(ext4(places)[0], size_bytes=64 * MIB), *swap(places)]


def subvolumes(places: Path) -> list[VolumeSpec]:
    parts = (Subvolume("@", str(places / "top")), Subvolume("@home", str(places / "top/home")))
    return [replace(spec("btrfs"), subvolumes=parts, writer=ANNA)]


@dataclass(frozen=True)
class Shape:
    """What is planned, on how many drives."""

    name: str
    specs: Wishes
    drives: int = 1

    @property
    def reversed(self) -> range:
        """The drives in the other order."""
        return range(self.drives - 1, -1, -1)

    def plan(self, work: Work, machine: Attached, places: Path) -> Plan:
        """Over drives that hold something: what is made waits."""
        for node in machine.nodes[: self.drives]:
            fill(node, work.bench, 16)
            old_gpt(node)
        if self.drives > 1:
            nodes = machine.nodes[: self.drives]
            return work.striped(nodes, self.specs(places)[0], Stripe("btrfs"), Mode.REPLACE)
        return work.plan(machine.nodes[0], *self.specs(places), mode=Mode.REPLACE)


def striped(places: Path) -> list[VolumeSpec]:
    return [replace(spec("btrfs", None, places / "media"), writer=ANNA)]


SHAPES = [
    Shape("ext4", ext4),
    Shape("ext4 and swap", ext4_and_swap),
    Shape("btrfs with subvolumes", subvolumes),
    Shape("btrfs over two drives", striped, 2),
]


def check_in_use(work: Work, plan: Plan) -> None:
    """By the kernel, by libblkid and by the files themselves."""
    lines = work.fstab.read_text().splitlines()[len(OLD_FSTAB.splitlines()) :]
    assert len(lines) == len(set(lines))
    for _, step in plan.use_steps():
        match step.operation:
            case Mount(mount_point=place):
                (volume,) = (one for one in plan.volumes if one.path == step.operation.device)
                shown = tool("findmnt", "-n", "-o", "SOURCE", "--mountpoint", place).split("[")[0].strip()
                assert uuid_of(shown) == volume.uuid
                assert Path(place).stat().st_uid == ANNA.uid
                assert sum(line.split()[:2] == [f"UUID={volume.uuid}", place] for line in lines) == 1
            case TurnOnSwap(device=device):
                assert "swap" in mounted_from(device)
                assert sum(line.startswith(f"UUID={uuid_of(device)} none swap ") for line in lines) == 1
            case _:
                pass


@pytest.mark.parametrize("shape", one_in(2, SHAPES), ids=lambda shape: shape.name)
def test_reboot_between_any_two_steps_of_keep(
    plain_folder: Path, work: Work, monkeypatch: pytest.MonkeyPatch, shape: Shape
) -> None:
    with attached(work, *[SIZE] * shape.drives) as machine:
        plan = shape.plan(work, machine, plain_folder)
        run, now = work.apply(plan, keep=False)
        assert now is RunState.WAITING, story(run)
        purpose = Purpose.KEEP
        for event, step in cuts(plan):
            machine.reboot()
            cut_at(monkeypatch, run, purpose, event, step)
            purpose = Purpose.APPLY
        machine.reboot(shape.reversed)
        assert not [place for node in machine.nodes for place in mounted_from(node)]
        resume(run)
        assert ended(run) is RunState.DONE, story(run)
        assert not said(run, Event.NOT_VERIFIED)
        check_in_use(work, plan)


@pytest.mark.parametrize("shape", one_in(2, SHAPES), ids=lambda shape: shape.name)
def test_waiting_run_is_undone_bit_for_bit_after_a_reboot(
    plain_folder: Path, work: Work, shape: Shape
) -> None:
    with attached(work, *[SIZE] * shape.drives) as machine:
        plan = shape.plan(work, machine, plain_folder)
        before = [work.digest(node) for node in machine.nodes]
        run, now = work.apply(plan, keep=False)
        assert now is RunState.WAITING, story(run)
        machine.reboot(shape.reversed)
        undo(run)
        assert [work.digest(node) for node in reversed(machine.nodes)] == before


def test_finished_run_without_its_journal_resumes(
    plain_folder: Path, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the journal of a finished run is lost, every step recognises its own result."""
    with attached(work, SIZE) as machine:
        plan = Shape("", subvolumes).plan(work, machine, plain_folder)
        run, _ = work.apply(plan, keep=False)
        cut_at(monkeypatch, run, Purpose.KEEP, *cuts(plan)[-1])
        (run / "journal.jsonl").unlink()
        carry_out(run, Purpose.APPLY, ())
        assert state(run) is RunState.DONE, story(run)
        check_in_use(work, plan)


@pytest.mark.parametrize("specs", [ext4, swap, subvolumes])
def test_another_drive_with_the_same_name_is_not_used(
    plain_folder: Path, work: Work, monkeypatch: pytest.MonkeyPatch, specs: Wishes
) -> None:
    """Of the same size, with the same kind of filesystem in the same place, and no serial number."""
    with attached(work, SIZE, SIZE) as machine:
        ours, theirs = machine.nodes
        plan = Shape("", specs).plan(work, machine, plain_folder)
        tool("sh", "-c", f"printf 'label: gpt\\nstart=1MiB\\n' | sfdisk -q --no-reread {theirs} || true")
        tool("partx", "--update", theirs)
        kind = plan.volumes[0].filesystem
        tool(*(("mkswap",) if kind == "swap" else (f"mkfs.{kind}", "-q")), f"{theirs}p1")
        before = work.digest(theirs)
        run, _ = work.apply(plan, keep=False)
        use = next(
            number for number, step in plan.use_steps() if isinstance(step.operation, Mount | TurnOnSwap)
        )
        cut_at(monkeypatch, run, Purpose.KEEP, Event.STEP_STARTED, use)
        machine.reboot((1, 0))
        with suppress(DiskwrightError):
            resume(run)
        now = ended(run)
        assert not mounted_from(ours), "the other drive has that name now"
        assert work.digest(ours) == before
        if now is RunState.DONE:
            assert mounted_from(theirs), "the run knows it by that name"
            return
        assert f"{theirs}p1" in said(run, Event.FAILED)[-1].sentence, "that is where the volume is now"
        machine.reboot((1, 0))
        resume(run)
        assert ended(run) is RunState.DONE, story(run)
        assert mounted_from(ours) and not mounted_from(theirs)


@pytest.mark.parametrize("filesystem", ["ext4", "btrfs"])
def test_clone_is_reported_and_no_volume_is_mounted(
    plain_folder: Path, work: Work, monkeypatch: pytest.MonkeyPatch, filesystem: str
) -> None:
    """Made byte for byte while the run was interrupted: fstab's UUID could mean either."""
    with attached(work, SIZE, SIZE) as machine:
        node, copy = machine.nodes
        plan = Shape("", lambda places: [spec(filesystem, None, places / "media")]).plan(
            work, machine, plain_folder
        )
        run, _ = work.apply(plan, keep=False)
        cut_at(monkeypatch, run, Purpose.KEEP, *cuts(plan)[0])
        work.bench.own(copy)
        tool("cp", "--sparse=always", str(machine.images[0]), str(machine.images[1]))
        machine.reboot()
        resume(run)
        assert ended(run) is RunState.FAILED, story(run)
        last = said(run, Event.FAILED)[-1].sentence
        assert f"{node}p1" in last and f"{copy}p1" in last
        assert not mounted_from(node) and not mounted_from(copy)
        tool("wipefs", "--all", "--quiet", f"{copy}p1")
        resume(run)
        assert ended(run) is RunState.DONE, story(run)


def test_wrongly_mounted_device_is_unmounted_immediately(
    plain_folder: Path, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mount program that takes another device, as where a node changed hands in that moment."""
    with attached(work, SIZE, SIZE) as machine:
        other = machine.nodes[1]
        plan = Shape("", ext4).plan(work, machine, plain_folder)
        work.bench.own(other)
        tool("mkfs.ext4", "-q", other)
        real = tool("sh", "-c", "PATH=/usr/sbin:/usr/bin:/sbin:/bin command -v mount").strip()
        run, _ = work.apply(plan, keep=False)
        script = f'for last; do :; done\n[ "$last" != {plain_folder}/media ] || set -- {other} "$last"'
        stand_in(work.folder / "bin", monkeypatch, "mount", f'{script}\nexec {real} "$@"')
        with pytest.raises(DiskwrightError):
            keep(run)
        assert not (plain_folder / "media").is_mount()
        (work.folder / "bin/mount").unlink()
        resume(run)
        assert ended(run) is RunState.DONE, story(run)
        check_in_use(work, plan)
