"""The options of `diskwright plan`, with examples of each."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from wizard.apply.settings.start import check_token, preflight_told, start_told
from wizard.cli import confirm_start as words
from wizard.cli.command import CommandParser, plain
from wizard.cli.confirm_start import Confirmation, begin_or_refuse
from wizard.cli.select_run import CHECKED, GOOD_TO_KNOW, RECORDED, STEPS, UNDONE, drive_said
from wizard.model.changes import Changes, EditFstab, SetOptions, SwitchOff, Tune, WriteRules
from wizard.model.errors import ExitCode, printable
from wizard.model.plan import NO_PLACE
from wizard.model.said import t
from wizard.plan.raid.striping import FILESYSTEMS, METADATA, MIRRORS
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
    t(
        "This command writes nothing to a drive. A drive that holds anything is "
        "refused until you say --replace or --use-free."
    ),
    t(
        "A size is such as 500G, 30% (of all the room that can be used) or rest. A "
        "volume without a size takes all that is left. `diskwright workloads` lists "
        "the purposes."
    ),
    t(
        "A partition, such as /dev/sdX2, is formatted in its place, or deleted with "
        "--delete. With --grow it gets the free space behind it, with --shrink it "
        "gives up its end; its files stay. The other partitions stay, and may be in "
        "use meanwhile."
    ),
    t(
        "A volume for data is mounted at /srv/LABEL, now and at every start, and you "
        "may write to it. You are whoever called sudo. mount=DIR names another "
        "folder, mount=none mounts it nowhere. writable=WHO says who may write: a "
        "user's name, group:NAME, everyone or root. On a drive that is pulled out, a "
        "volume for other systems is left to the desktop. mount= and writable= "
        "change that."
    ),
    t(
        "--preset desktop makes an EFI system partition, swap by the machine's "
        "memory, a root and, on larger drives, a home. It says which --volume words "
        "it stands for, to be changed at will."
    ),
    t(
        "role= in --volume makes one of them: esp, boot, root, home or swap. The "
        "partition gets the type by which firmware and systemd find it, and the "
        "usual size if none is given. Nothing of it is mounted on the running system "
        "unless mount= asks for that."
    ),
    t(
        "subvolume=NAME:DIR in --volume makes a subvolume of a Btrfs and mounts it "
        "at DIR. Without :DIR it is made and left unmounted."
    ),
    t(
        "--option, or option=ID in --volume, asks for an option that `diskwright "
        "options` lists. One that puts data at risk is refused until its danger is "
        "typed back. The refusal says what can be lost and what to type. A volume "
        "that a system lives on never gets one."
    ),
    t(
        "--encrypt, or encrypt=luks2 in --volume, puts the volume into an encrypted "
        "container. `diskwright apply` asks for its passphrase; no plan holds it. "
        "Whoever loses it loses what is in the volume. With key=FILE, too, that file "
        "of root's opens it, also at every start."
    ),
    t(
        "--table mbr makes the old table of four partitions, for firmware that knows "
        "nothing else. A GPT is better wherever it is understood. It keeps a second "
        "copy of itself with checksums, and names its partitions. It holds 128 of "
        "them, and has no limit at 2 TiB."
    ),
    t(
        "--lvm puts all volumes into one volume group, on one partition over the "
        "room. There they can be made larger later. Sizes are rounded up to whole "
        "pieces of 4 MiB."
    ),
    t(
        "--stripe spreads one volume over all drives that are named, by md (RAID0), "
        "LVM or Btrfs itself. That is fast, and all of it is lost when any one of "
        "the drives fails."
    ),
    t(
        "--mirror keeps copies on them, by md (RAID1) or Btrfs itself. That survives "
        "the loss of a drive, has half the room or less, and is no backup."
    ),
)


def parser() -> ArgumentParser:
    """`diskwright plan DEVICE... [--stripe KIND] [--replace | --use-free] (--volume ... | --workload ID) [-o
    PLAN.json]`."""
    made = CommandParser(
        "plan", t("Plan a layout, show it, and save it. Writes nothing to the drive."), EXAMPLES, ABOUT
    )
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
    what = made.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "--volume",
        metavar="KEY=VALUE,...",
        action="append",
        help=str(t("a volume: {keys:list}; may be repeated", keys=KEYS)),
    )
    what.add_argument(
        "--workload", metavar="ID", help=str(t("one volume over everything, for this workload"))
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
    made.add_argument(
        "--fs", metavar="FS", help=str(t("with --workload: filesystem (default: the recommended one)"))
    )
    made.add_argument("--label", metavar="LABEL", help=str(t("with --workload: the volume's label")))
    made.add_argument(
        "--mount",
        metavar="DIR",
        help=str(
            t(
                "with --workload: where it is mounted, now and at every start; {nowhere} for nowhere",
                nowhere=NO_PLACE,
            )
        ),
    )
    made.add_argument(
        "--writable",
        metavar="WHO",
        help=str(t("with --workload: who may write: a user, group:NAME, everyone, root")),
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
        help=str(t("the kind of a new table: gpt, or mbr for firmware that knows nothing else (usual: gpt)")),
    )
    spread = made.add_mutually_exclusive_group()
    spread.add_argument(
        "--stripe",
        choices=tuple(FILESYSTEMS),
        help=str(t("with --workload: stripe the volume over all drives")),
    )
    spread.add_argument(
        "--mirror", choices=MIRRORS, help=str(t("with --workload: mirror the volume on all drives"))
    )
    spread.add_argument(
        "--lvm", action="store_true", help=str(t("on one drive: put all volumes into an LVM volume group"))
    )
    made.add_argument("--chunk", metavar="SIZE", help=str(t("with --stripe md or lvm: chunk size (512K)")))
    made.add_argument(
        "--metadata", choices=METADATA, help=str(t("with --stripe btrfs: metadata profile (raid1)"))
    )
    made.add_argument("-o", "--output", metavar="PLAN.json", help=str(t("save the plan in this file")))
    made.add_argument("--machine", metavar="FILE", help=str(RECORDED))
    return made


def change_lines(changes: Changes, width: int, *, files: bool = True) -> Iterator[str]:
    """Each step with its command or its lines, how it is undone, and what is checked; without `files` those
    of whole files are left out."""
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
    """A line of a file made safe to show, with its tabs, which stand between the fields of fstab."""
    return "\t".join(printable(piece, 4000) for piece in line.split("\t"))


def show_changes(changes: Changes, width: int) -> Iterator[str]:
    """All of it, as text."""
    drive = drive_said(changes.drive)
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
        yield from wrapped(str(t("It stays in use; nothing of what it holds is touched.")), width)
    for heading, said in ((t("Why:"), changes.reasons), (GOOD_TO_KNOW, changes.doubts)):
        if said:
            yield from ("", str(heading))
        for sentence in said:
            yield from wrapped(f"- {printable(str(sentence), 4000)}", width, 2)
    yield from ("", str(STEPS))
    yield from change_lines(changes, width)


def apply_changes(changes: Changes, arguments: Namespace, as_root: Callable[[], str]) -> Path | ExitCode:
    """Begin the run and give its folder, or the exit code of a dry run. `as_root` words the command for
    root."""
    question = Confirmation(
        token=changes.drive.token,
        outcome=(
            t("This would power {device} off", device=changes.device)
            if isinstance(changes.wanted, SwitchOff)
            else t("This would change how {device} is used", device=changes.device)
        ),
        drive=words.ITS_DRIVE,
        refusal_of_more=words.ONE_DRIVE,
        beforehand=changes.doubts,
        lines=partial(change_lines, changes),
        check=partial(check_token, changes),
        preflight=lambda runs, environment: preflight_told(
            changes, journal_dir=runs, environment=environment
        ),
        start=lambda token, runs, environment: start_told(
            changes, token, journal_dir=runs, environment=environment
        ),
    )
    return begin_or_refuse(question, arguments, as_root)
