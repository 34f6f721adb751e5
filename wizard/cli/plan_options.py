"""Options of `diskwright plan` with examples, and the display of changes."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from wizard.cli import confirm_start as words
from wizard.cli.command import CommandParser, plain
from wizard.cli.confirm_start import Confirmation, begin_or_refuse
from wizard.cli.select_run import CHECKED, GOOD_TO_KNOW, RECORDED, STEPS, UNDONE, drive_message
from wizard.model.errors import ExitCode, printable
from wizard.model.layout import NO_PLACE
from wizard.model.requests import SetOptions, SwitchOff, Tune
from wizard.model.said import t
from wizard.operations.mounts import EditFstab
from wizard.operations.settings import WriteRules
from wizard.plan.changes import Changes
from wizard.plan.raid.striping import FILESYSTEMS, METADATA
from wizard.plan.request.volume_request import EXAMPLE, KEYS
from wizard.plan.request.wanted import PRESETS
from wizard.plan.text import command_lines, wrapped

EXAMPLES = (
    plain("plan", "/dev/sdX", "--workload", "large-media", "-o", "media.json"),
    plain(
        *("plan", "/dev/sdX", "--replace", "--workload", "small-files", "--label", "mail"),
        *("--mount", "/srv/mail", "-o", "mail.json"),
    ),
    plain(
        *("plan", "/dev/sdX", "--use-free", "--volume", EXAMPLE),
        *("--volume", "workload=small-files,fs=ext4,label=photos", "-o", "both.json"),
    ),
    plain("plan", "/dev/sdX", "--replace", "--preset", "desktop", "-o", "desktop.json"),
    plain(
        *("plan", "/dev/sdX", "--replace", "--volume", "role=esp"),
        *("--volume", "role=root,fs=btrfs,size=30%", "--volume", "role=home,size=rest"),
    ),
    plain("plan", "/dev/sdX2", "--workload", "large-media", "--label", "films", "-o", "films.json"),
    plain("plan", "/dev/sdX2", "--delete", "-o", "delete.json"),
    plain("plan", "/dev/sdX2", "--grow", "-o", "grow.json"),
    plain("plan", "/dev/sdX2", "--grow-to", "60G", "-o", "grow.json"),
    plain("plan", "/dev/sdX2", "--shrink", "40G", "-o", "shrink.json"),
    plain("plan", "/dev/sdX", "--restore-table", "-o", "table.json"),
    plain("plan", "/dev/sda", "--workload", "desktop-root", "--machine", "saved.json"),
    plain(
        *("plan", "/dev/sdX", "--workload", "large-media", "--fs", "ext4"),
        *("--option", "ext4-no-journal", "--danger", '"PHRASE"'),
    ),
    plain(
        *("plan", "/dev/sdX", "/dev/sdY", "--stripe", "md", "--workload", "large-media"),
        *("--mount", "/srv/media", "-o", "striped.json"),
    ),
    plain(
        *("plan", "/dev/sdX", "/dev/sdY", "--mirror", "btrfs", "--workload", "nas"),
        *("--mount", "/srv/files", "-o", "mirrored.json"),
    ),
)
ABOUT = (
    t("Never writes to a drive. A drive with content is refused unless you add --replace or --use-free."),
    t(
        "Sizes are written as 500G, 30% (of the usable space) or rest. A volume "
        "without a size uses the remaining space. `diskwright workloads` lists the "
        "workloads."
    ),
    t(
        "A partition, such as /dev/sdX2, is formatted in place, or deleted with "
        "--delete. --grow extends it into the free space that follows, --shrink cuts "
        "it at the end; files are preserved. Other partitions are preserved, and may "
        "be in use."
    ),
    t(
        "A data volume is mounted at /srv/LABEL, now and at every boot. You, the "
        "user who called sudo, may write to it. mount=DIR sets another folder, "
        "mount=none disables mounting. writable=WHO sets who may write: a user name, "
        "group:NAME, everyone or root. On a removable drive, a volume for other "
        "systems is left to the desktop. mount= and writable= change that."
    ),
    t(
        "--preset desktop creates an EFI system partition, swap sized by memory, a "
        "root and, on larger drives, a home. It prints the equivalent --volume "
        "options for you to edit."
    ),
    t(
        "role= in --volume sets a role: esp, boot, root, home or swap. The partition "
        "gets the type that firmware and systemd expect, and the usual size by "
        "default. Such volumes are mounted on the running system only with mount=."
    ),
    t(
        "subvolume=NAME:DIR in --volume creates a Btrfs subvolume and mounts it at "
        "DIR. Without :DIR, the subvolume is not mounted."
    ),
    t(
        "--option, or option=ID in --volume, adds an option listed by `diskwright "
        "options`. An option that endangers data is refused until you type the "
        "danger. The refusal shows the possible loss and the text to type. System "
        "volumes never get such an option."
    ),
    t(
        "--encrypt, or encrypt=luks2 in --volume, creates the volume in an encrypted "
        "container. `diskwright apply` asks for the passphrase; plans never contain "
        "it. If you lose the passphrase, you lose the data. With key=FILE, root's "
        "key file opens the volume too, also at every boot."
    ),
    t(
        "--table mbr creates the old table with four partitions, for firmware "
        "without GPT support. Use GPT wherever supported. It has a backup copy, "
        "checksums, partition names, 128 partitions and no 2 TiB limit."
    ),
    t(
        "--lvm creates all volumes in one volume group, on one partition across the "
        "usable space. Volumes can be enlarged later. Sizes are rounded up to 4 MiB "
        "extents."
    ),
    t(
        "--stripe spreads one volume across all named drives, using md (RAID0) or "
        "Btrfs. This is fast, but if any drive fails, the whole volume is lost."
    ),
    t(
        "--mirror stores copies on the named drives, using md (RAID1) or Btrfs. This "
        "survives the loss of a drive, offers half the space or less, and is not a "
        "backup."
    ),
)


def parser() -> ArgumentParser:
    """`diskwright plan DEVICE... [--stripe KIND] [--replace | --use-free] (--volume ... | --workload ID) [-o
    PLAN.json]`."""
    made = CommandParser("plan", EXAMPLES, ABOUT)
    made.add_argument(
        "devices",
        metavar="DEVICE",
        nargs="+",
        help=str(
            t(
                "a whole drive, such as /dev/sdb, or one partition, such as /dev/sdb2; "
                "several drives with --stripe or --mirror"
            )
        ),
    )
    mode = made.add_mutually_exclusive_group()
    mode.add_argument(
        "--replace",
        dest="mode",
        action="store_const",
        const="replace",
        help=str(t("erase all content of the drive")),
    )
    mode.add_argument(
        "--use-free",
        dest="mode",
        action="store_const",
        const="use-free",
        help=str(t("preserve every partition; use only free space")),
    )
    what = made.add_mutually_exclusive_group()
    what.add_argument(
        "--volume",
        metavar="KEY=VALUE,...",
        action="append",
        help=str(t("a volume: {keys:list}; may be repeated", keys=KEYS)),
    )
    what.add_argument(
        "--workload", metavar="ID", help=str(t("one volume across all space, for this workload"))
    )
    what.add_argument(
        "--preset", choices=PRESETS, help=str(t("volumes for a desktop system, with usual sizes"))
    )
    what.add_argument(
        "--delete", action="store_true", help=str(t("delete the partition DEVICE, such as /dev/sdb2"))
    )
    what.add_argument(
        "--grow",
        action="store_true",
        help=str(t("grow the partition DEVICE and its filesystem into free space")),
    )
    what.add_argument("--grow-to", metavar="SIZE", help=str(t("grow to this size")))
    what.add_argument(
        "--shrink",
        metavar="SIZE",
        help=str(
            t(
                "shrink the partition DEVICE and its ext2, ext3, ext4, Btrfs or NTFS to this "
                "size, with all files"
            )
        ),
    )
    what.add_argument(
        "--restore-table",
        action="store_true",
        help=str(t("write the lost table back around the contents found; undo is possible")),
    )
    made.add_argument(
        "--fs", metavar="FS", help=str(t("with --workload: filesystem (default: the recommended one)"))
    )
    made.add_argument("--label", metavar="LABEL", help=str(t("with --workload: the volume's label")))
    made.add_argument(
        "--mount",
        metavar="DIR",
        help=str(
            t(
                "with --workload: mount point, now and at every boot; {nowhere} for none",
                nowhere=NO_PLACE,
            )
        ),
    )
    made.add_argument(
        "--writable",
        metavar="WHO",
        help=str(t("with --workload: who may write: user, group:NAME, everyone, root")),
    )
    made.add_argument(
        "--option", metavar="ID", action="append", help=str(t("with --workload: add this option; repeatable"))
    )
    made.add_argument("--encrypt", action="store_true", help=str(t("with --workload: encrypt with LUKS2")))
    made.add_argument(
        "--danger",
        metavar="PHRASE",
        action="append",
        default=[],
        help=str(t("accept the danger of an option by typing it; repeatable")),
    )
    made.add_argument(
        "--table",
        choices=("gpt", "mbr"),
        help=str(t("type of a new table: gpt, or mbr for firmware without GPT support (default: gpt)")),
    )
    spread = made.add_mutually_exclusive_group()
    spread.add_argument(
        "--stripe",
        choices=tuple(FILESYSTEMS),
        help=str(t("with --workload: stripe the volume over all drives")),
    )
    spread.add_argument(
        "--mirror",
        choices=tuple(FILESYSTEMS),
        help=str(t("with --workload: mirror the volume on all drives")),
    )
    spread.add_argument(
        "--lvm", action="store_true", help=str(t("on one drive: put all volumes into an LVM volume group"))
    )
    made.add_argument("--chunk", metavar="SIZE", help=str(t("with --stripe md: chunk size (512K)")))
    made.add_argument(
        "--metadata", choices=METADATA, help=str(t("with --stripe btrfs: metadata profile (raid1)"))
    )
    made.add_argument("-o", "--output", metavar="PLAN.json", help=str(t("save the plan in this file")))
    made.add_argument("--machine", metavar="FILE", help=str(RECORDED))
    return made


def change_lines(changes: Changes, width: int, *, files: bool = True) -> Iterator[str]:
    """Yield each step with commands, edits, undo and checks. Without `files`, omit edits of whole files."""
    for number, step in enumerate(changes.steps, 1):
        yield from wrapped(f"{number}. {printable(step.sentence, 4000)}", width, 3)
        for argv in step.commands:
            yield from command_lines([printable(word, 4000) for word in argv], width, 6)
        if files or not isinstance(step.operation, EditFstab | WriteRules):
            yield from (f"      {with_tabs(edit)}" for edit in step.edits)
        yield from wrapped(f"   {UNDONE} {printable(step.undo, 4000)}", width, 3)
        for held in step.holds:
            yield from wrapped(f"   {CHECKED} {printable(held, 4000)}", width, 3)


def with_tabs(line: str) -> str:
    """Return a line of a file, safe to print. Preserves tabs, which separate fstab fields."""
    return "\t".join(printable(piece, 4000) for piece in line.split("\t"))


def show_changes(changes: Changes, width: int) -> Iterator[str]:
    """Yield the changes with reasons, notes and steps."""
    drive = drive_message(changes.drive)
    title = (
        t(
            "Changes for {device} ({filesystem}, UUID {uuid}) on {drive}",
            device=changes.device,
            filesystem=changes.filesystem,
            uuid=changes.uuid,
            drive=drive,
        )
        if changes.filesystem
        else t("Changes for {drive}", drive=drive)
    )
    yield from wrapped(str(title), width)
    if isinstance(changes.wanted, Tune | SetOptions):
        yield from wrapped(str(t("The filesystem stays in use; its content is not touched.")), width)
    for heading, said in ((t("Why:"), changes.reasons), (GOOD_TO_KNOW, changes.doubts)):
        if said:
            yield from ("", str(heading))
        for sentence in said:
            yield from wrapped(f"- {printable(str(sentence), 4000)}", width, 2)
    yield from ("", str(STEPS))
    yield from change_lines(changes, width)


def apply_changes(changes: Changes, arguments: Namespace, as_root: Callable[[], str]) -> Path | ExitCode:
    """Start the changes and return the run's folder, or the exit code of a dry run. `as_root` words the
    command for root."""
    question = Confirmation(
        document=changes,
        outcome=(
            t("This would power off {device}", device=changes.device)
            if isinstance(changes.wanted, SwitchOff)
            else t("This would change how {device} is used", device=changes.device)
        ),
        drive=words.ITS_DRIVE,
        refusal_of_more=words.ONE_DRIVE,
        beforehand=changes.doubts,
        lines=partial(change_lines, changes),
    )
    return begin_or_refuse(question, arguments, as_root)
