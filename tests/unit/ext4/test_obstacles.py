"""The blockers of a conversion, each in a case without any other, and the recommended method."""

import re
from typing import Any

import pytest
from msgspec.structs import replace

from tests.unit.ext4.migrations import EXT3, FSTAB, UUID, situation
from wizard.cli.main import parser_of
from wizard.ext4.assessment import BootLine, BootPath, OwnFstab, Situation
from wizard.ext4.document import make_migration, prospect_of
from wizard.ext4.operations import (
    all_operations,
    fstab_operations,
    operations_for,
    spare_blocks,
    widening_blocks,
)
from wizard.ext4.ways import BLOCKED_METHODS, WRITING, against, obstacles_of
from wizard.model.errors import BadInput, DiskwrightError, Refused
from wizard.model.finding import Severity
from wizard.operations.ext4 import AddJournal, CheckFiles, WidenInodes, proof
from wizard.operations.fstab import EditFstab
from wizard.plan.changes import Way

FREE = situation()
FULL_OF = widening_blocks(EXT3) + spare_blocks(EXT3)


def ext(**changes: Any) -> Situation:  # noqa: ANN401
    return situation(replace(EXT3, **changes))


def without(feature: str, **changes: Any) -> Situation:  # noqa: ANN401
    return ext(features=EXT3.features - {feature}, **changes)


def having(*features: str, **changes: Any) -> Situation:  # noqa: ANN401
    return ext(features=EXT3.features | {*features}, **changes)


def around(**changes: Any) -> Situation:  # noqa: ANN401
    return replace(FREE, **changes)


CUT = EXT3.size_bytes - 4096

CASES: dict[str, tuple[Situation, str, frozenset[Way]]] = {
    "mounted": (around(mounts=("/srv",)), "umount /dev/sda1", WRITING),
    "running-root": (around(is_root=True, mounts=("/",)), "rescue medium", WRITING),
    "swap-file": (around(swap_files=("/srv/swap",)), "swapoff /srv/swap", WRITING),
    "opened": (around(opened=True), "exclusive use of /dev/sda1", WRITING),
    "barred": (having("FEATURE_I31"), "diskwright status", frozenset(Way)),
    "cut-off": (around(device_bytes=CUT), "smaller than its filesystem", WRITING),
    "counts": (ext(free_inodes=EXT3.inodes + 1), "more free blocks or inodes than exist", WRITING),
    "half-done": (ext(half_done="it was being resized"), "it was being resized", WRITING),
    "errors": (ext(has_errors=True, recorded_errors=7), "--repair", WRITING),
    "damaged": (around(damaged="Inode 12 is wrong."), "Inode 12 is wrong. ", WRITING),
    "recorded-errors": (ext(recorded_errors=7), "7 errors", frozenset()),
    "journal-pending": (
        having("needs_recovery", needs_recovery=True),
        "replays the journal",
        frozenset(),
    ),
    "not-clean": (ext(clean=False), "/dev/sda1 was not unmounted cleanly", frozenset()),
    "external-journal": (ext(journal_device=True), "tune2fs -O '^has_journal' /dev/sda1", WRITING),
    "unknown-features": (having("encrypt", "FEATURE_R29"), "FEATURE_R29, encrypt", WRITING),
    "first-revision": (ext(revision=0), "diskwright bring /dev/sda1", WRITING),
    "incomplete": (having("extent"), "incompletely converted ext3", frozenset()),
    "programs-missing": (
        around(missing=("e2undo", "tune2fs")),
        "e2undo and tune2fs are not installed",
        WRITING,
    ),
    "programs-old": (around(e2fsprogs=(1, 42)), "1.43 or newer", WRITING),
    "no-room-journal": (
        without("has_journal", inode_bytes=256, free_blocks=140_000),
        "Without a journal",
        WRITING,
    ),
    "full": (
        ext(inode_bytes=256, free_blocks=spare_blocks(EXT3) - 1),
        "Delete or move",
        frozenset({Way.FULL}),
    ),
    "narrow-inodes": (ext(free_blocks=FULL_OF - 1), "4.1 kB more", frozenset()),
    "no-inodes": (ext(free_inodes=0), "no free inodes", frozenset()),
    "no-copy": (around(no_copy="/dev/fuse is not available"), "needs loop devices and FUSE", WRITING),
    "boot-loader": (around(boot=BootPath("/boot", grub=(2, 2))), "2.02", frozenset()),
    "root-type": (around(boot=BootPath("/", "ext3")), "rootfstype=ext3", frozenset()),
    "initramfs": (around(boot=BootPath("/", initramfs="dracut")), "dracut -f", frozenset()),
    "mount-unit": (around(units=("/etc/systemd/system/srv.mount",)), "Type=ext4", frozenset()),
    "own-fstab": (around(own=OwnFstab(fault="it is a symlink")), "it is a symlink", frozenset()),
    "nothing-at-boot": (around(lines=()), "no line lists the filesystem", frozenset({Way.MOUNT})),
}


def test_ordinary_filesystem_has_no_blocker() -> None:
    assert not obstacles_of(FREE)
    assert all(against(FREE, way) is None and make_migration(FREE, way).steps for way in Way)


@pytest.mark.parametrize(("found", "said", "barred"), CASES.values(), ids=CASES)
def test_each_blocker_has_its_remedy_and_blocks_its_ways(
    request: pytest.FixtureRequest, found: Situation, said: str, barred: frozenset[Way]
) -> None:
    code = f"migrate-{request.node.callspec.id}"
    finding = next(one for one in obstacles_of(found) if one.code == code)
    assert (
        said in f"{finding.sentence} {finding.why} {finding.advice}"
        and str(finding.why).endswith(".")
        and str(finding.remedy).endswith(".")
    )
    for way in Way:
        if way in barred:
            wrong = Refused if finding.severity is Severity.DANGER else BadInput
            with pytest.raises(wrong, match="Nothing was written"):
                make_migration(found, way)
        else:
            make_migration(found, way)
    offers = {offer.way: offer for offer in prospect_of(found).offers}
    assert {way for way in Way if offers[way].obstacle} == barred


def test_commands_are_typed_and_possible() -> None:
    """Only the command for another system is in a text."""
    for found, *_ in CASES.values():
        for finding in obstacles_of(found):
            named = re.findall(r"`([^`]+)`", str(finding.remedy))
            assert all("/dev/disk/by-uuid/" in command for command in named), finding
            for command in finding.commands:
                assert command.argv[0] not in found.missing
                assert not (command.unused and found.mounts), command
                if command.argv[0] == "diskwright":
                    asked = parser_of(command.argv[1]).parse_args(command.argv[2:])
                    if command.argv[1] == "migrate":
                        make_migration(found, Way(asked.way), repairs=asked.repair)


def test_blocked_repair_is_not_offered() -> None:
    for found, offered in ((ext(has_errors=True), True), (ext(has_errors=True, revision=0), False)):
        finding = next(one for one in obstacles_of(found) if one.code == "migrate-errors")
        assert bool(finding.commands) is offered


def test_filesystem_in_use_explains_conversion_from_another_system() -> None:
    # Of a root the line lies on itself, and is changed with it. A system stands on its /usr, too.
    for found, changed_here in (
        (around(is_root=True, mounts=("/",)), False),
        (around(is_root=True, mounts=("/usr",)), True),
        (around(mounts=("/var",)), True),
        (around(mounts=("/var",), lines=()), False),
    ):
        with pytest.raises(Refused) as refused:
            make_migration(found, Way.FULL)
        said = str(refused.value)
        assert f"`diskwright migrate /dev/disk/by-uuid/{UUID} --way full --journal /mnt/" in said
        assert ("`sudo diskwright migrate /dev/sda1 --way mount`" in said) is changed_here
        assert against(found, Way.MOUNT) is None or not found.lines


def test_every_blocking_code_has_its_case() -> None:
    assert {
        *(f"migrate-{name}" for name in CASES),
        "migrate-complete",
        "migrate-light-complete",
    } >= BLOCKED_METHODS.keys()


@pytest.mark.parametrize(
    "found", [ext(has_errors=True), ext(half_done="it was being resized"), around(damaged="Inode 12.")]
)
def test_damage_is_repaired_if_agreed(found: Situation) -> None:
    migration = make_migration(found, Way.FULL, repairs=True)
    assert migration.repairs and migration.steps[0].operation == CheckFiles(repairs=True)
    assert migration.steps[0].commands[0][:3] == ("e2fsck", "-f", "-y")
    assert make_migration(FREE, Way.FULL).steps[0].commands[0] == proof("/dev/sda1")
    assert make_migration(ext(clean=False), Way.FULL).steps[0].operation == CheckFiles(pending=True)
    with pytest.raises(Refused):
        make_migration(replace(found, mounts=("/srv",)), Way.FULL, repairs=True)


def test_complete_filesystem_is_unchanged() -> None:
    modern = having(
        "extent",
        "64bit",
        "metadata_csum",
        "huge_file",
        "dir_nlink",
        "extra_isize",
        inode_bytes=256,
        desc_bytes=64,
    )
    for way in (Way.LIGHT, Way.FULL):
        with pytest.raises(BadInput, match="No action needed"):
            make_migration(modern, way)
    bare = replace(modern, lines=())
    assert prospect_of(bare).default is None and prospect_of(bare).why.startswith(
        "/dev/sda1 already has all features"
    )
    lacking = replace(modern, ext=replace(modern.ext, features=modern.ext.features - {"metadata_csum"}))
    assert against(lacking, Way.FULL) is None and against(lacking, Way.LIGHT) is not None


def test_without_a_scratch_copy_only_the_mount_type_changes() -> None:
    found = around(no_copy="/dev/fuse is not available")
    assert prospect_of(FREE).default is Way.FULL
    for way in (Way.LIGHT, Way.FULL):
        with pytest.raises(Refused, match="scratch copy"):
            make_migration(found, way)
    assert prospect_of(found).default is Way.MOUNT


@pytest.mark.parametrize("way", [Way.LIGHT, Way.FULL])
def test_space_is_required_for_all_replaceable_blocks(way: Way) -> None:
    wanted = make_migration(FREE, way).room_bytes
    assert wanted >= (2 * EXT3.inodes * 256 if way is Way.FULL else 1)


def test_ext2_gets_journal_and_wide_inodes_before_features() -> None:
    kinds = [type(operation) for operation in operations_for(Way.FULL, without("has_journal").ext)]
    assert kinds[:3] == [CheckFiles, AddJournal, WidenInodes]
    assert AddJournal() in operations_for(Way.LIGHT, without("has_journal").ext)


@pytest.mark.parametrize(
    ("line", "new"),
    [
        (
            f"UUID={UUID}\t/srv\text3  defaults,noatime 0 2 # films",
            f"UUID={UUID}\t/srv\text4  defaults,noatime 0 2 # films",
        ),
        ("LABEL=ext3 /ext3 ext3", "LABEL=ext3 /ext3 ext4"),
        ("  /dev/ext2  /ext2\text2\tdefaults", "  /dev/ext2  /ext2\text4\tdefaults"),
        ("PARTUUID=1-2 /srv auto defaults", None),
        ("/dev/sda1 /srv ext4 defaults", None),
    ],
)
def test_only_the_type_in_its_line_changes(line: str, new: str | None) -> None:
    text = f"# mine\n{line}\n/dev/sdb1 /home ext3\n"
    found = around(fstab_text=text, lines=(BootLine(2, line.split()[2], line.split()[1]),))
    assert [line.new for one in fstab_operations(found) for line in one.lines] == ([new] if new else [])
    assert any(isinstance(one, EditFstab) for one in all_operations(found, Way.LIGHT)) is (new is not None)


def test_several_lines_are_changed_after_all_other_steps() -> None:
    text = f"{FSTAB}/dev/sda1 /again ext2 ro\n"
    found = around(fstab_text=text, lines=(*FREE.lines, BootLine(3, "ext2", "/again")))
    steps = make_migration(found, Way.FULL).steps
    last = steps[-1].operation
    assert isinstance(last, EditFstab) and [line.number for line in last.lines] == [2, 3]
    assert not any(isinstance(step.operation, EditFstab) for step in steps[:-1])


def test_refusal_joins_its_sentences() -> None:
    with pytest.raises(DiskwrightError) as error:
        make_migration(around(mounts=("/srv", "/mnt/copy")), Way.FULL)
    assert str(error.value).startswith("/dev/sda1 is mounted at /srv, /mnt/copy. Unmount the filesystem")
