"""Documents of changes: read as written, and refused if `diskwright tune` could not have made them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import replace

from tests.earlier import first_body, sealed
from tests.unit.ext4.migrations import EXT3
from tests.unit.machines import drive, machine
from wizard.apply.run.backup_store import Environment
from wizard.apply.settings.existing_filesystem import ExistingVolume
from wizard.apply.settings.guard import check_own
from wizard.apply.settings.tune import set_options, set_queue, set_reserve
from wizard.apply.system.fstab import parse
from wizard.model.errors import BadInput, Refused, is_partition_of
from wizard.model.requests import Tune
from wizard.operations.fstab import EditFstab, LineEdit, with_fields
from wizard.operations.mounts import Remount
from wizard.operations.operation import Context, Setting
from wizard.operations.settings import (
    ReserveBlocks,
    SetQueue,
    SwitchOnTimer,
    WriteRules,
    rules_name,
    udev_rule,
)
from wizard.plan.changes import SETTINGS, Changes, changes_of
from wizard.plan.dangers import known_identity
from wizard.plan.plan import steps_of
from wizard.probe.host.sysfs import mounts_in

UUID = "0d2c3b7a-0000-4000-8000-000000000001"
LINE = f"UUID={UUID}\t/srv\text4 relatime,errors=remount-ro 0 2 # films"
FSTAB = f"# mine\n{LINE}\n"
ON = drive()
WANTED = {"scheduler": "mq-deadline", "read_ahead_kb": "128"}
BETTER = ("errors=remount-ro", "noatime", "lazytime")


def found(text: str = FSTAB, **changes: object) -> ExistingVolume:
    """Return a mounted filesystem whose first line in fstab is in use."""
    lines = tuple(line for line in parse(text, "fstab") if line.source == f"UUID={UUID}")
    used = ExistingVolume(
        machine=machine(ON),
        drive=ON,
        identity=known_identity(machine(ON), ON),
        device="/dev/sda1",
        filesystem="ext4",
        size_bytes=None,
        queue={"scheduler": "bfq", "read_ahead_kb": "64"},
        uuid=UUID,
        fstab_text=text,
        lines=lines,
        mount_point="/srv",
        mounted=("rw", "nosuid", "relatime"),
        ext=replace(EXT3, blocks=1000, reserved_blocks=50),
    )
    return replace(used, **changes)


def made(used: ExistingVolume | None = None, options: tuple[str, ...] = BETTER) -> Changes:
    used = used or found()
    planned = (
        "all of it: It is a test. (test(1))",
        *set_reserve(used, 1),
        *set_options(used, options),
        *set_queue(used, WANTED),
        SwitchOnTimer(),
    )
    return changes_of(used.identity, (used.device, "ext4", UUID), Tune("large-media"), planned)


CHANGES = made()
TEXT = SETTINGS.render(CHANGES)


def only(kind: type, of: Changes) -> Any:  # noqa: ANN401
    (found,) = [step.operation for step in of.steps if isinstance(step.operation, kind)]
    return found


def kinds(of: Changes) -> list[type]:
    return [type(step.operation) for step in of.steps]


def test_changes_are_read_as_written() -> None:
    assert SETTINGS.read(TEXT, "c.json") == CHANGES and SETTINGS.is_one(TEXT)
    assert kinds(CHANGES) == [
        ReserveBlocks,
        Remount,
        EditFstab,
        SetQueue,
        SetQueue,
        WriteRules,
        SwitchOnTimer,
    ]
    assert (
        TEXT.isascii() and CHANGES.reasons == ("all of it: It is a test. (test(1))",) and not CHANGES.doubts
    )


def test_commands_of_each_change() -> None:
    commands = [argv for step in CHANGES.steps for argv in step.commands]
    assert commands == [
        ("tune2fs", "-r", "10", "/dev/sda1"),
        ("mount", "-o", "remount,rw,nosuid,noatime,lazytime", "/dev/sda1", "/srv"),
        ("systemctl", "enable", "--now", "fstrim.timer"),
    ]
    assert [argv for step in CHANGES.steps for argv in step.operation.commands_to(new=False)] == [
        ("tune2fs", "-r", "50", "/dev/sda1"),
        ("mount", "-o", "remount,rw,nosuid,relatime,nolazytime", "/dev/sda1", "/srv"),
        ("systemctl", "disable", "--now", "fstrim.timer"),
    ]
    new = LINE.replace("relatime,errors=remount-ro", "errors=remount-ro,noatime,lazytime")
    edits = [step.edits for step in CHANGES.steps if isinstance(step.operation, EditFstab)]
    assert edits == [("--- a/etc/fstab", "+++ b/etc/fstab", "@@ -2 +2 @@", f"-{LINE}", f"+{new}")]
    rules = next(step.edits for step in CHANGES.steps if isinstance(step.operation, WriteRules))
    assert rules[:2] == ("--- /dev/null", "+++ b/etc/udev/rules.d/60-diskwright-S1.rules") and rules[
        -1
    ].startswith("+ACTION")
    assert all(
        step.sentence.endswith(".") and step.undo.endswith(".") and step.holds for step in CHANGES.steps
    )


def change(kind: type[Setting], **fields: object) -> Callable[[Changes], Changes]:
    """Return a function that forges the first operation of a kind, and derives every text from the result."""

    def forge(changes: Changes) -> Changes:
        operations = [step.operation for step in changes.steps]
        at = next(index for index, operation in enumerate(operations) if isinstance(operation, kind))
        forged = operations[at]
        assert isinstance(forged, Struct)
        operations[at] = replace(forged, **fields)
        return replace(changes, steps=steps_of(operations, Context(changes.drive)))

    return forge


def line(
    old: str | None = LINE,
    options: tuple[str, ...] = ("noatime",),
    **fields: object,
) -> Any:  # noqa: ANN401
    """Return a function that forges the changed line."""
    new = with_fields(old or LINE, {3: ",".join(options)})
    return change(EditFstab, lines=(replace(LineEdit(2, old, new), **fields),))


def told(changes: Changes) -> Changes:
    return replace(
        changes, steps=(replace(changes.steps[0], sentence="Nothing happens."), *changes.steps[1:])
    )


def run_else(changes: Changes) -> Changes:
    return replace(changes, steps=(replace(changes.steps[0], commands=(("reboot",),)), *changes.steps[1:]))


@pytest.mark.parametrize("forge", [told, run_else])
def test_results_are_derived_from_operations_on_reading(forge: Callable[[Changes], Changes]) -> None:
    assert SETTINGS.render(forge(CHANGES)) == TEXT and SETTINGS.read(TEXT, "c.json") == CHANGES
    with pytest.raises(BadInput, match="is not a known key"):
        SETTINGS.read(sealed(first_body(forge(CHANGES)), SETTINGS.schema), "c.json")


def test_earlier_version_is_recreated_or_continues_in_its_run() -> None:
    first = sealed(first_body(CHANGES), "diskwright.changes/1")
    with pytest.raises(BadInput, match=r"earlier version of diskwright. Recreate it with `diskwright tune`"):
        SETTINGS.read(first, "c.json")
    assert SETTINGS.read_kept(first, "c.json") == CHANGES
    other = first_body(change(ReserveBlocks, device="/dev/sdb1")(CHANGES))
    with pytest.raises(BadInput, match="reserve-blocks"):
        SETTINGS.read_kept(sealed(other, "diskwright.changes/1"), "c.json")


FORGED: list[tuple[Callable[[Changes], Changes], str]] = [
    (lambda changes: replace(changes, steps=changes.steps[::-1]), "steps"),
    (lambda changes: replace(changes, steps=()), "steps"),
    (lambda changes: replace(changes, device="/dev/sdb1"), "device"),
    (lambda changes: replace(changes, device="/dev/sda1/../sdb"), "device"),
    (lambda changes: replace(changes, filesystem="zfs"), "filesystem"),
    (lambda changes: replace(changes, uuid="x"), "uuid"),
    (change(ReserveBlocks, device="/dev/sdb1"), "reserve-blocks"),
    (change(ReserveBlocks, new_blocks=60), "reserve-blocks"),
    (change(ReserveBlocks, new_blocks=-1), "reserve-blocks"),
    (change(Remount, device="/dev/sdb1"), "remount"),
    (change(Remount, new=("rw", "noatime")), "remount"),
    (change(Remount, new=("ro", "nosuid", "noatime")), "remount"),
    (
        change(Remount, old=("ro", "nosuid", "relatime"), new=("ro", "nosuid", "noatime")),
        "remount",
    ),
    (change(Remount, new=("rw", "nosuid", "noatime", "bind")), "remount"),
    (change(Remount, new=("rw", "nosuid", "noatime,bind")), "remount"),
    (change(EditFstab, file="etc/fstab"), "edit-fstab"),
    (line(old="# all is well"), "edit-fstab"),
    (line(old=f"{LINE}\nUUID=2 /etc ext4 defaults 0 0"), "edit-fstab"),
    (line(number=0), "edit-fstab"),
    (line(old=None, number=0), "edit-fstab"),
    (line(new=None), "edit-fstab"),
    (line(new=LINE.replace("/srv", "/etc")), "edit-fstab"),
    (change(EditFstab, lines=()), "edit-fstab"),
    (line(options=("relatime", "errors=remount-ro")), "edit-fstab"),
    (line(options=("errors=remount-ro", "user")), "edit-fstab"),
    (line(options=("errors=remount-ro", "x-systemd.makefs")), "edit-fstab"),
    (line(options=("errors=remount-ro", "noatime 0 0")), "edit-fstab"),
    (line(options=("relatime", "barrier=0x0")), "edit-fstab"),
    (line(options=("relatime", "data=writeback")), "edit-fstab"),
    (change(SetQueue, device="/dev/sdb"), "set-queue"),
    (change(SetQueue, name="../../../etc/passwd"), "set-queue"),
    (change(SetQueue, name="nr_requests", old="1", new="2"), "set-queue"),
    (change(SetQueue, new="none\n"), "set-queue"),
    (change(WriteRules, file="/etc/cron.d/60-diskwright-S1"), "write-rules"),
    (change(WriteRules, file="/etc/udev/rules.d/60-other.rules"), "write-rules"),
    (change(WriteRules, values=(("scheduler", 'none", RUN+="/bin/sh'),)), "write-rules"),
    (change(WriteRules, values=()), "write-rules"),
]


@pytest.mark.parametrize(("forge", "says"), FORGED)
def test_changes_tune_cannot_write_are_refused(forge: Callable[[Changes], Changes], says: str) -> None:
    forged = forge(CHANGES)
    says = f"c.json is inconsistent: invalid {says}"
    with pytest.raises(BadInput, match=says):
        SETTINGS.check(forged, "c.json")
    with pytest.raises(BadInput, match=says):
        SETTINGS.read(SETTINGS.render(forged), "c.json")


def test_damage_is_detected_by_the_digest() -> None:
    with pytest.raises(BadInput, match="changed or damaged"):
        SETTINGS.read(TEXT.replace("/srv", "/src", 1), "c.json")
    body = json.loads(TEXT)
    del body["schema"], body["digest"]
    body["extra"] = 1
    with pytest.raises(BadInput, match="extra"):
        SETTINGS.read(
            sealed(body, SETTINGS.schema),
            "c.json",
        )


def test_unmounted_filesystem_changes_at_the_next_mount() -> None:
    later = made(found(mounted=None))
    assert Remount not in kinds(later) and EditFstab in kinds(later)
    assert [*map(str, later.doubts)] == [
        "The change to lazytime, noatime and relatime takes effect at the next mount."
    ]


@pytest.mark.parametrize(
    ("filesystem", "words"), [("f2fs", ("rw", "relatime")), ("ext4", ("nosuid", "relatime"))]
)
def test_mount_in_use_that_must_not_be_remounted_is_unchanged(
    filesystem: str, words: tuple[str, ...]
) -> None:
    """F2FS would lose its own options, and a read-only mount may be deliberate."""
    changes = made(found(mounted=words, filesystem=filesystem))
    assert Remount not in kinds(changes) and any("next mount" in doubt for doubt in map(str, changes.doubts))


def test_only_generic_mount_options_are_remounted() -> None:
    changes = made(options=("errors=remount-ro", "commit=30", "noatime"))
    assert only(Remount, changes).new == ("rw", "nosuid", "noatime")
    assert [edit.new for edit in only(EditFstab, changes).lines] == [
        LINE.replace("relatime,errors=remount-ro", "errors=remount-ro,commit=30,noatime")
    ]
    assert [*map(str, changes.doubts)] == ["The change to commit takes effect at the next mount."]


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        (EditFstab, r"not for /elsewhere/fstab: add --fstab /etc/fstab"),
        (WriteRules, "is not in /elsewhere/udev/rules"),
    ],
)
def test_only_files_of_the_selected_system_are_changed(kind: type[Setting], says: str) -> None:
    one = replace(CHANGES, steps=steps_of([only(kind, CHANGES)], Context(CHANGES.drive)))
    with pytest.raises(Refused, match=says):
        check_own(one, Environment(fstab=Path("/elsewhere/fstab")))


def test_further_lines_are_reported_and_unchanged() -> None:
    """A Btrfs filesystem can be mounted at several places, with a subvolume each."""
    changes = made(found(f"{FSTAB}UUID={UUID} /home ext4 subvol=home 0 0\n"))
    assert kinds(changes) == kinds(CHANGES)
    assert [*map(str, changes.doubts)] == [
        "/etc/fstab also has lines for /dev/sda1 at /home, which remain unchanged."
    ]


def test_duplicate_line_is_unchanged() -> None:
    changes = made(found(f"# mine\n{LINE}\n{LINE}\n"))
    assert (
        EditFstab not in kinds(changes)
        and Remount not in kinds(changes)
        and "twice" in str(changes.doubts[0])
    )


def test_own_udev_rules_are_extended_and_others_unchanged(tmp_path: Path) -> None:
    used = found(environment=Environment(fstab=tmp_path / "fstab"))
    nowhere = made(used)
    assert (
        WriteRules not in kinds(nowhere)
        and SetQueue in kinds(nowhere)
        and any("No folder for udev rules" in doubt for doubt in map(str, nowhere.doubts))
    )
    file = used.environment.rules / rules_name(used.identity)
    file.parent.mkdir(parents=True)
    old = udev_rule(used.identity, (("nr_requests", "64"),))
    file.write_text(old)
    assert only(WriteRules, made(used)).values == (("nr_requests", "64"), *WANTED.items())
    assert only(WriteRules, made(used)).old == old
    file.write_text(f"{old}# mine\n")
    theirs = made(used)
    assert WriteRules not in kinds(theirs) and any("by hand" in doubt for doubt in map(str, theirs.doubts))
    file.write_text(udev_rule(used.identity, tuple(WANTED.items())))
    assert made(used).steps and WriteRules not in kinds(made(used))


def test_unreadable_settings_are_not_changed() -> None:
    blind = made(found(ext=None))
    assert ReserveBlocks not in kinds(blind) and "Only root" in str(blind.doubts[0])


@pytest.mark.parametrize(
    ("own", "of_filesystem", "words"),
    [
        ("rw,nosuid,relatime", "rw,errors=remount-ro", ("rw", "nosuid", "relatime")),
        ("rw", "rw,sync,lazytime", ("rw", "strictatime", "lazytime", "sync")),
        ("rw,noatime,nodiratime", "ro", ("noatime", "nodiratime")),
    ],
)
def test_options_to_repeat_in_a_remount(own: str, of_filesystem: str, words: tuple[str, ...]) -> None:
    (mounted,) = mounts_in(f"36 25 8:1 / /srv {own} shared:1 - ext4 /dev/sda1 {of_filesystem}\n")
    assert mounted.words == words


@pytest.mark.parametrize("end", ["0", "01", "²", "１", "1000", "1p1", "1\n", ""])
def test_odd_partition_number_is_no_partition(end: str) -> None:
    assert is_partition_of("/dev/sda12", "/dev/sda") and is_partition_of("/dev/nvme0n1p1", "/dev/nvme0n1")
    assert not is_partition_of(f"/dev/sda{end}", "/dev/sda")
