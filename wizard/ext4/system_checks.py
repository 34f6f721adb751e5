"""What stands against a migration in the room that it needs, and in how the system starts."""

from collections.abc import Iterator
from dataclasses import replace

from wizard.advice.missing import missing
from wizard.ext4.assessment import BootPath, Situation
from wizard.ext4.duration import WIDE_INODE_BYTES, journal_blocks
from wizard.ext4.operations import (
    INODES_WIDENED_FROM,
    OLD_TYPES,
    TOO_FULL,
    fstab_operations,
    operations_for,
    spare_blocks,
    widening_blocks,
    widening_fault,
)
from wizard.ext4.steps import OWN_FSTAB
from wizard.model.errors import printable
from wizard.model.finding import Finding, Severity
from wizard.model.migration import Way
from wizard.model.said import Message, Sentence, join, t


def danger(
    code: str,
    situation: Situation,
    sentence: Message,
    why: Message,
    remedy: Message,
    source: str = "e2fsprogs",
) -> Finding:
    """What stands against a way, or puts data at risk."""
    return _finding(code, Severity.DANGER, situation, sentence, why, remedy, source)


def warning(
    code: str,
    situation: Situation,
    sentence: Message,
    why: Message,
    remedy: Message,
    source: str = "superblock",
) -> Finding:
    """What can go wrong, or what a person may miss."""
    return _finding(code, Severity.WARNING, situation, sentence, why, remedy, source)


def info(
    code: str,
    situation: Situation,
    sentence: Message,
    why: Message,
    remedy: Message,
    source: str = "superblock",
) -> Finding:
    """What is good to know."""
    return _finding(code, Severity.INFO, situation, sentence, why, remedy, source)


def _finding(
    code: str,
    severity: Severity,
    situation: Situation,
    sentence: Message,
    why: Message,
    remedy: Message,
    source: str,
) -> Finding:
    return Finding(code, severity, situation.device, sentence, why, source, remedy)


def told_of(finding: Finding) -> Message | str:
    """What is so, and what to do."""
    sentence, remedy = finding.sentence, finding.remedy
    if isinstance(sentence, Message) and isinstance(remedy, Message):
        return join(sentence, remedy)
    return f"{sentence} {remedy}"


def as_text(finding: Finding) -> Finding:
    """As `diskwright.prospect/1` holds it."""
    return replace(finding, sentence=str(finding.sentence), why=str(finding.why), remedy=str(finding.remedy))


def version_text(version: tuple[int, int]) -> str:
    """1.43 for (1, 43), 2.06 for (2, 6)."""
    return f"{version[0]}.{version[1]:02}"


TRIED_GRUB = (2, 6)
"""GRUB 2.06, as Debian 12 has it, read what was converted (grub-fstest)."""

NO_GRUB = (0, 0)
"""None of its programs is there, or none tells its version."""

MADE_ANEW = ("update-initramfs", "-u", "-k", "all")
MADE_ANEW_BY_DRACUT = ("dracut", "-f", "--regenerate-all")
"""What makes every initramfs anew."""


def room_inside(situation: Situation) -> Iterator[Finding]:
    """What is free on it."""
    before, device = situation.ext, situation.device
    size = before.block_bytes
    free, spare = before.free_blocks * size, spare_blocks(before)
    if "has_journal" not in before.features and not 0 < journal_blocks(before) <= before.free_blocks - spare:
        yield danger(
            "migrate-no-room-journal",
            situation,
            t(
                "{device} has no room for a journal: that needs {needed:size}, and {free:size} are free.",
                device=device,
                needed=journal_blocks(before) * size,
                free=free,
            ),
            t("Without a journal, the whole filesystem must be checked after a power cut."),
            t("Delete or move files off it first, or use the fresh way."),
            "superblock",
        )
    if before.free_blocks < spare:
        yield danger(
            "migrate-full",
            situation,
            t(
                "{device} is full: {free:size} are free, and {needed:size} are needed.",
                device=device,
                free=free,
                needed=spare * size,
            ),
            t("Files in many pieces need some more blocks when they are mapped by extents."),
            t("Delete or move files off it first."),
            "superblock",
        )
    if before.inode_bytes == INODES_WIDENED_FROM and (fault := widening_fault(before)):
        more = max(0, widening_blocks(before) + spare - before.free_blocks) * size
        yield warning(
            "migrate-narrow-inodes",
            situation,
            t(
                "The inodes of {device} keep their length of {bytes} bytes: {fault}.",
                device=device,
                bytes=before.inode_bytes,
                fault=fault,
            ),
            t(
                "Without {bytes} bytes there are no dates past January 2038 and no times "
                "finer than a second.",
                bytes=WIDE_INODE_BYTES,
            ),
            t("Free {more:size} more for it.", more=more)
            if fault.is_of(TOO_FULL)
            else t("Only the fresh way gives that."),
        )
    if not before.free_inodes:
        yield info(
            "migrate-no-inodes",
            situation,
            t(
                "{device} has no inode left: no file can be made on it, however much room is free.",
                device=device,
            ),
            t("The number of inodes ({inodes}) is set when a filesystem is made.", inodes=before.inodes),
            t("Only the fresh way gives more."),
        )


def folders(situation: Situation) -> Iterator[Finding]:
    """Where what is replaced would lie."""
    # One folder that is named for both ways of keeping what is replaced is told of once.
    for folder in dict.fromkeys((situation.store, situation.undo_dir)):
        if folder.asked and folder.fault:
            yield danger(
                "migrate-folder",
                situation,
                t(
                    "{folder} cannot hold what is replaced: {fault}.",
                    folder=printable(folder.path, 200),
                    fault=folder.fault,
                ),
                t("What is replaced must lie on another filesystem that is there after a restart."),
                t("Name another folder."),
                "statvfs(3)",
            )
    undo_dir = situation.undo_dir
    if undo_dir.fault and not undo_dir.asked and (situation.store.fault or situation.no_snapshots):
        yield danger(
            "migrate-no-folder",
            situation,
            t(
                "There is no place for what is replaced: {folder} cannot hold it, since {fault}.",
                folder=printable(undo_dir.path, 200),
                fault=undo_dir.fault,
            ),
            t("Without it, nothing could be undone."),
            t("Name a folder on another filesystem (with the command: --store or --undo-dir)."),
            "statvfs(3)",
        )
    if situation.target is not None and situation.target.fault:
        yield danger(
            "migrate-target",
            situation,
            t(
                "{target} cannot take the fresh filesystem: {fault}.",
                target=printable(situation.target.device, 100),
                fault=situation.target.fault,
            ),
            t("A new filesystem is made there, so whatever it held would be lost."),
            t("Name another volume (with the command: --to)."),
            "libblkid",
        )


def boot_path(situation: Situation) -> Iterator[Finding]:
    """A system that starts from it."""
    found, device = situation.boot, situation.device
    if not found.place:
        return
    lies = (
        t("The system's root lies on {device}: what starts it must be able to read ext4.", device=device)
        if found.place == "/"
        else t(
            "The system's {place} lies on {device}: what starts it must be able to read ext4.",
            place=found.place,
            device=device,
        )
    )
    version = _grub(found.grub)
    if found.grub == NO_GRUB:
        why = t(
            "GRUB's programs are not found here. Which GRUB is in the boot sector cannot be seen from here."
        )
    else:
        why = (
            Sentence(
                "The GRUB here is {version}, and older ones than 2.06 were not tried. Which "
                "one is in the boot sector cannot be seen from here; it can be older."
            )
            if found.grub < TRIED_GRUB
            else Sentence(
                "The GRUB here is {version}. Which one is in the boot sector cannot be seen "
                "from here; it can be older."
            )
        )(version=version)
    yield warning(
        "migrate-boot-loader",
        situation,
        join(lies, *_grub_reads(found, situation.family)),
        why,
        t(
            "Keep a rescue medium at hand. Install the boot loader anew afterwards "
            "(grub-install), before the first restart."
        ),
        "grub-install --version",
    )
    if found.root_type in OLD_TYPES:
        yield warning(
            "migrate-root-type",
            situation,
            t(
                "The kernel is started with rootfstype={kind}, with which it would not find "
                "its root as ext4.",
                kind=found.root_type,
            ),
            t("That option stands in the boot loader's settings."),
            t("Remove it there, or write ext4, before the restart."),
            "/proc/cmdline",
        )
    if found.initramfs:
        again = MADE_ANEW if found.initramfs == "initramfs-tools" else MADE_ANEW_BY_DRACUT
        yield info(
            "migrate-initramfs",
            situation,
            t(
                "{maker} makes the initramfs, which must mount {device} as ext4.",
                maker=found.initramfs,
                device=device,
            ),
            t(
                "Since 4.3, Linux mounts ext3 with ext4's driver. Before that, an initramfs "
                "made for ext3 can lack it."
            ),
            t(
                "Where Linux is older than 4.3, or rootfstype= names ext3, make it anew "
                "before the first start: `{command}`. Where the system does not run, do that "
                "from a rescue medium with chroot.",
                command=" ".join(again),
            ),
            "/etc",
        )


def at_boot(situation: Situation) -> Iterator[Finding]:
    """What mounts it at every start."""
    device = situation.device
    for unit in situation.units:
        yield warning(
            "migrate-mount-unit",
            situation,
            t("{unit} mounts {device} by a unit of systemd's own.", unit=printable(unit, 200), device=device),
            t("A migration changes only fstab. A unit with Type=ext3 fails afterwards."),
            t("Write Type=ext4 there, or remove the type."),
            "/etc/systemd/system",
        )
    if not fstab_operations(situation):
        said = (
            Sentence("{fstab} names it as it is to stay, so nothing is changed there.")
            if situation.lines
            else Sentence("{fstab} does not name it, so nothing is changed there.")
        )
        yield info(
            "migrate-nothing-at-boot",
            situation,
            said(fstab=printable(situation.fstab, 200)),
            t("Mounting it as ext4 by hand needs no change at all."),
            t("`mount -t ext4 {device} PLACE` mounts it so.", device=device),
            "fstab(5)",
        )


def own_fstab(situation: Situation) -> Iterator[Finding]:
    """The system that lies on it, and does not run."""
    own, device = situation.own, situation.device
    if own is None:
        return
    lines = [line for line in own.lines if line.kind in OLD_TYPES]
    if own.fault:
        yield warning(
            "migrate-own-fstab",
            situation,
            t(
                "A system lies on {device}, and its {file} is not changed: {fault}.",
                device=device,
                file=OWN_FSTAB,
                fault=own.fault,
            ),
            t("A line there that names the filesystem as ext3 or ext2 would keep that system from starting."),
            t(
                "After `keep`, look at {file} on it. Write ext4 in its line before that system is started.",
                file=OWN_FSTAB,
            ),
            "debugfs",
        )
    for line in lines if not own.fault else ():
        yield info(
            "migrate-own-fstab",
            situation,
            t(
                "A system lies on {device}, whose {file} mounts it as {kind} by line {number}.",
                device=device,
                file=OWN_FSTAB,
                kind=line.kind,
                number=line.number,
            ),
            t("That line would no longer mount it once it is ext4."),
            t("The ways that write change the line, too, and undoing puts it back with everything else."),
            "debugfs",
        )


def nothing_to_do(situation: Situation) -> Iterator[Finding]:
    """What it has already."""
    for way, code, said in (
        (Way.FULL, "migrate-complete", Sentence("{device} has everything that a conversion can give.")),
        (
            Way.LIGHT,
            "migrate-light-complete",
            Sentence("{device} has everything that can be switched on without rewriting anything."),
        ),
    ):
        if not operations_for(way, situation.ext):
            yield info(
                code,
                situation,
                said(device=situation.device),
                t("All of it was switched on before."),
                t("There is nothing to do."),
            )


def _grub_reads(found: BootPath, family: str) -> tuple[Message, ...]:
    """What is done to find out whether GRUB can read it."""
    version = _grub(found.grub)
    judged = (
        t("Whether GRUB can is not known: its programs are not found here.")
        if found.grub == NO_GRUB
        else t("Whether GRUB can is judged by its version alone: it is {version}.", version=version)
    )
    if not found.grub_folder:
        return (judged,)
    if not found.grub_reader:
        return missing(("grub-fstest",), family).said, judged
    return (
        t(
            "After the conversion, GRUB's own driver ({reader}, {version}) has to read "
            "{folder} and a kernel as Linux does. Where it does not, the run ends there. "
            "Nothing is committed then; what was done to the filesystem itself can be "
            "undone.",
            reader=found.grub_reader,
            version=version,
            folder=found.grub_folder,
        ),
    )


def _grub(version: tuple[int, int]) -> Message:
    return t("not found") if version == NO_GRUB else t("of version {version}", version=version_text(version))
