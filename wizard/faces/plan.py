"""`diskwright plan`: work out a layout and write it down; nothing is written to the drive."""

import shlex
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

from wizard.advise.advise import advise, site_of
from wizard.advise.asked import check_phrases
from wizard.advise.catalogue import load_catalogue
from wizard.advise.workloads import find_workload
from wizard.apply.plan.steps_told import confirmation
from wizard.apply.steps.arrays import taken_arrays
from wizard.apply.system.places import taken_places, usual_places
from wizard.diagnose.diagnose import diagnose
from wizard.diagnose.patterns import load_patterns
from wizard.documents.files import write_file
from wizard.faces.showing.console import err, say
from wizard.faces.showing.sources import machine_and_drives, machine_and_part
from wizard.layout.document import render_plan
from wizard.layout.one.planning import delete_plan, format_plan, grow_plan
from wizard.layout.one.words import SIZE_STAYS
from wizard.layout.planner import Mode, make_plan
from wizard.layout.room.refusals import needs_root
from wizard.layout.several.striped import StripeWish, choice_on, make_striped_plan
from wizard.layout.several.striping import FILESYSTEMS, METADATA, MIRRORS, room_bytes
from wizard.layout.told.preview import plan_lines, unread_words
from wizard.layout.wishes.preset import PRESETS, desktop_requests, room_for_preset, written
from wizard.layout.wishes.using import Usual, put_to_use
from wizard.layout.wishes.wanted import named_choice, wish_of, wish_with_options
from wizard.layout.wishes.wish import (
    ENCRYPTIONS,
    EXAMPLE,
    KEYS,
    Arrangement,
    Request,
    Wish,
    parse_volume,
    request,
)
from wizard.layout.words import AS_ROOT, RECORD_AS_ROOT, UNREAD
from wizard.model.errors import BadInput, ExitCode
from wizard.model.finding import Recording
from wizard.model.machine import Drive, Machine, Partition
from wizard.model.names import printable
from wizard.model.plan import NO_PLACE, Level, Plan
from wizard.model.units import parse_size
from wizard.probe.host.people import caller, writer_named

EPILOG = f"""examples:
    diskwright plan /dev/sdX --workload large-media -o media.json
    diskwright plan /dev/sdX --replace --workload small-files --label mail --mount /srv/mail -o mail.json
    diskwright plan /dev/sdX --use-free --volume {EXAMPLE} \\
        --volume workload=small-files,fs=ext4,label=photos -o both.json
    diskwright plan /dev/sdX --replace --preset desktop -o desktop.json
    diskwright plan /dev/sdX --replace --volume role=esp --volume role=root,fs=btrfs,size=30% \\
        --volume role=home,size=rest
    diskwright plan /dev/sdX2 --workload large-media --label films -o films.json
    diskwright plan /dev/sdX2 --delete -o delete.json
    diskwright plan /dev/sdX2 --grow -o grow.json
    diskwright plan /dev/sda --workload desktop-root --machine saved.json
    diskwright plan /dev/sdX --workload large-media --fs ext4 --option ext4-no-journal --danger "PHRASE"
    diskwright plan /dev/sdX /dev/sdY --stripe md --workload large-media --mount /srv/media -o striped.json
    diskwright plan /dev/sdX /dev/sdY --mirror btrfs --workload nas --mount /srv/files -o mirrored.json

A partition, such as /dev/sdX2, is formatted in its place, deleted with --delete, or given the free
space behind it with --grow, which keeps its files. The others stay, and may be in use meanwhile.

subvolume=NAME:DIR in --volume makes a subvolume of a Btrfs and mounts it at DIR; without :DIR it is made and
left unmounted.

--option, or option=ID in --volume, asks for an option that `diskwright options` lists. One that puts data at
risk is refused until its danger is typed back; the refusal says what can be lost and what to type. A volume
that a system lives on never gets one.

--preset desktop makes an EFI system partition, swap by the machine's memory, a root and, on larger drives, a
home; it says which --volume words it stands for, to be changed at will. role= in --volume makes one of them
(esp, boot, root, home, swap): the partition gets the type by which firmware and systemd find it, and without
a size the usual one. Nothing of it is mounted on the running system unless mount= asks for that.

--table mbr makes the old table of four partitions, for firmware that knows nothing else. A GPT is better
wherever it is understood: it keeps a second copy of itself with checksums, names its partitions, holds 128 of
them, and has no limit at 2 TiB.

A size is such as 500G, 30% (of all the room that can be used) or rest. A volume without a size takes all that
is left. `diskwright workloads` lists the purposes. A drive that holds anything is refused until you say
--replace or --use-free. Nothing is written to a drive by this command.

A volume for data is mounted at /srv/LABEL, now and at every start, and you may write to it: you are whoever
called sudo. mount=DIR names another folder, mount=none mounts it nowhere; writable=WHO says who may write: a
user's name, group:NAME, everyone or root. On a drive that is pulled out, a volume for other systems is left
to the desktop, unless you say either.

--encrypt, or encrypt=luks2 in --volume, puts the volume into an encrypted container. `diskwright apply` asks
for its passphrase; no plan holds it. Whoever loses it loses what is in the volume.

--lvm puts all volumes into one volume group of LVM's, on one partition over the room, where they can be made
larger later; sizes are rounded up to whole pieces of 4 MiB.

--stripe spreads one volume over all drives that are named, by md (RAID0), LVM or Btrfs itself: fast, and all
of it lost when any one of the drives fails. --mirror keeps copies on them, by md (RAID1) or Btrfs itself: it
survives the loss of a drive, has half the room or less, and is no backup.
"""

FOR_DRIVES = ("preset", "table", "stripe", "mirror", "lvm", "chunk", "metadata")
"""Options that do not go with one partition."""

MODES = {"replace": Mode.REPLACE, "use-free": Mode.USE_FREE, None: None}


def parser() -> ArgumentParser:
    """`diskwright plan DEVICE... [--stripe KIND] [--replace | --use-free] (--volume ... | --workload ID) [-o
    PLAN.json]`."""
    made = ArgumentParser(
        "diskwright plan",
        description=(
            "Work out what a drive would become, show it, and write it down as a plan. Nothing is written to "
            "the drive."
        ),
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    made.add_argument(
        "devices",
        metavar="DEVICE",
        nargs="+",
        help="a whole drive, such as /dev/sdb, or one partition, such as /dev/sdb2; two or more drives with "
        "--stripe or --mirror",
    )
    mode = made.add_mutually_exclusive_group()
    mode.add_argument(
        "--replace",
        dest="mode",
        action="store_const",
        const="replace",
        help="erase everything the drive holds",
    )
    mode.add_argument(
        "--use-free",
        dest="mode",
        action="store_const",
        const="use-free",
        help="keep every partition; use only free space",
    )
    what = made.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "--volume",
        metavar="KEY=VALUE,...",
        action="append",
        help=f"a volume: {', '.join(KEYS)}; may be repeated",
    )
    what.add_argument("--workload", metavar="ID", help="one volume over everything, for this purpose")
    what.add_argument(
        "--preset", choices=PRESETS, help="the volumes that a desktop's system needs, with usual sizes"
    )
    what.add_argument(
        "--delete",
        action="store_true",
        help="delete the partition DEVICE, such as /dev/sdb2; the others stay",
    )
    what.add_argument(
        "--grow",
        action="store_true",
        help="give the partition DEVICE, and the ext2, ext3 or ext4 in it, the free space behind it",
    )
    made.add_argument("--fs", metavar="FS", help="with --workload: another filesystem than the advised one")
    made.add_argument("--label", metavar="LABEL", help="with --workload: the volume's label")
    made.add_argument(
        "--mount",
        metavar="DIR",
        help=f"with --workload: where it is mounted, now and at every start; {NO_PLACE} for nowhere",
    )
    made.add_argument(
        "--writable", metavar="WHO", help="with --workload: who may write: a user, group:NAME, everyone, root"
    )
    made.add_argument(
        "--option",
        metavar="ID",
        action="append",
        help="with --workload: this option as well; may be repeated",
    )
    made.add_argument(
        "--encrypt", action="store_true", help="with --workload: within an encrypted container (LUKS2)"
    )
    made.add_argument(
        "--danger",
        metavar="PHRASE",
        action="append",
        default=[],
        help="the danger of an option, typed back; may be repeated",
    )
    made.add_argument(
        "--table",
        choices=("gpt", "mbr"),
        help="the kind of a new table: gpt, or mbr for firmware that knows nothing else (usual: gpt)",
    )
    spread = made.add_mutually_exclusive_group()
    spread.add_argument(
        "--stripe",
        choices=tuple(FILESYSTEMS),
        help="with --workload: spread the volume over all drives, by this",
    )
    spread.add_argument(
        "--mirror", choices=MIRRORS, help="with --workload: keep the volume's copies on all drives, by this"
    )
    spread.add_argument(
        "--lvm", action="store_true", help="on one drive: put all volumes into one volume group of LVM's"
    )
    made.add_argument(
        "--chunk",
        metavar="SIZE",
        help="with --stripe md or lvm: how much goes to one drive at a stretch (512K)",
    )
    made.add_argument(
        "--metadata", choices=METADATA, help="with --stripe btrfs: how its own records are kept (raid1)"
    )
    made.add_argument(
        "-o", "--output", metavar="PLAN.json", help="write the plan to this file instead of the output"
    )
    made.add_argument("--machine", metavar="FILE", help="plan for a machine recorded by `inspect --save`")
    return made


def main(arguments: Namespace) -> ExitCode:
    """Plan, show the plan, and write it down."""
    part = machine_and_part(arguments.devices[0], arguments.machine) if len(arguments.devices) == 1 else None
    if (arguments.delete or arguments.grow) and part is None:
        word = "delete" if arguments.delete else "grow"
        raise BadInput(f"--{word} is for one partition: name that, such as /dev/sdX2, instead of a drive.")
    requests = requests_of(arguments)
    check_phrases(arguments.danger, [name for asked in requests for name in asked.options], load_catalogue())
    several = arguments.stripe is not None or arguments.mirror is not None
    if len(arguments.devices) > 1 and not several:
        raise BadInput(
            "Several drives are planned together only for one volume over all of them: say --stripe md, lvm "
            "or btrfs, or --mirror md or btrfs."
        )
    if part is not None:
        _tell_unread(arguments, part[1:2])
        plan = _plan_part(arguments, requests, *part)
    else:
        machine, drives = machine_and_drives(arguments.devices, arguments.machine)
        _tell_unread(arguments, drives)
        make = _plan_striped if several else _plan_one
        plan = make(arguments, requests, machine, drives)
    to_file = arguments.output not in (None, "-")
    if to_file:
        write_plan(plan, Path(arguments.output))
    _narrate(plan, arguments.output if to_file else None)
    if not to_file:
        sys.stdout.write(render_plan(plan))
    return ExitCode.DONE


def _tell_unread(arguments: Namespace, drives: Sequence[Drive]) -> None:
    """Say first of all where only root can read a drive, and how root makes this plan."""
    unread = [drive for drive in drives if drive.content_digest is None and needs_root(drive)]
    if not unread:
        return
    said = UNREAD(drives=tuple(drive.path for drive in unread), count=len(unread))
    if arguments.machine is not None:
        say(f"{said} {RECORD_AS_ROOT()}")
    else:
        say(f"{said} {AS_ROOT()}")
        say(f"    {printable(shlex.join(('sudo', 'diskwright', *arguments.words)), 4000)}")
    say("")


def _plan_part(
    arguments: Namespace, requests: tuple[Request, ...], machine: Machine, drive: Drive, part: Partition
) -> Plan:
    """The plan for one partition, beside which everything stays."""
    for word in FOR_DRIVES:
        if getattr(arguments, word.replace("-", "_")):
            raise BadInput(f"--{word} is for a whole drive, and {part.path} is a partition of {drive.path}.")
    if arguments.mode == "use-free":
        raise BadInput(f"--use-free is for the free space of a drive: name {drive.path} for that.")
    if arguments.delete or arguments.grow:
        return (delete_plan if arguments.delete else grow_plan)(machine, drive, part)
    if any(asked.size_bytes is not None or asked.percent is not None for asked in requests):
        raise BadInput(str(SIZE_STAYS(part=part.path, size=part.size_bytes)))
    recording = diagnose(machine, drive, load_patterns()).recording
    wishes = [
        wish_of(machine, drive, recording, replace(asked, size_bytes=part.size_bytes), arguments.danger)
        for asked in requests
    ]
    return format_plan(machine, drive, part, wishes, _draw)


def _plan_one(
    arguments: Namespace, requests: tuple[Request, ...], machine: Machine, drives: Sequence[Drive]
) -> Plan:
    drive = drives[0]
    if arguments.table is not None and arguments.mode == "use-free":
        raise BadInput("--table is for a new table: --use-free keeps the one that is there.")
    if arguments.chunk is not None or arguments.metadata is not None:
        raise BadInput(f"--{'chunk' if arguments.chunk is not None else 'metadata'} goes with --stripe.")
    mode = MODES[arguments.mode]
    if arguments.preset is not None:
        requests = desktop_requests(room_for_preset(drive, keep=mode is Mode.USE_FREE), machine.memory_bytes)
        say(
            f"--preset {arguments.preset} is here: "
            f"{' '.join(f'--volume {written(asked)}' for asked in requests)}"
        )
        say("")
    recording = diagnose(machine, drive, load_patterns()).recording
    usual = _usual(arguments)
    wishes: tuple[Wish, ...] = ()
    for asked in requests:
        wish = wish_of(machine, drive, recording, asked, arguments.danger)
        wishes += (_used(wish, drive, asked, usual, wishes),)
    return make_plan(
        machine, drive, wishes, mode, _draw, Arrangement(arguments.table or "gpt", grouped=arguments.lvm)
    )


def _plan_striped(
    arguments: Namespace, requests: tuple[Request, ...], machine: Machine, drives: Sequence[Drive]
) -> Plan:
    option = "--stripe" if arguments.mirror is None else "--mirror"
    if arguments.table is not None:
        raise BadInput(f"--table does not go with {option}: every drive gets a GPT.")
    if arguments.volume is not None or arguments.preset is not None:
        raise BadInput(
            f"{option} makes one volume over everything: say --workload, with --label, --mount and --fs, "
            "instead of --volume or --preset."
        )
    chunk = None if arguments.chunk is None else parse_size(arguments.chunk)
    level: Level = "raid0" if arguments.mirror is None else "raid1"
    asked = StripeWish(arguments.stripe or arguments.mirror, chunk, arguments.metadata, level)
    patterns = load_patterns()
    recordings = [diagnose(machine, drive, patterns).recording for drive in drives]
    room = room_bytes(asked.kind, asked.level, [drive.size_bytes or 0 for drive in drives])
    wish = striped_wish(
        machine, drives, recordings, requests[0], FILESYSTEMS[asked.kind], arguments.danger, room
    )
    wish = _used(wish, drives[0], requests[0], _usual(arguments))
    arrays = taken_arrays() if arguments.machine is None else ()
    return make_striped_plan(machine, drives, wish, asked, MODES[arguments.mode], _draw, recordings, arrays)


def _usual(arguments: Namespace) -> Usual:
    """What is usual here; of a recorded machine nobody knows who would call."""
    if arguments.machine is not None:
        return Usual()
    places = usual_places()
    return Usual(caller(), places, taken_places(places))


def _used(wish: Wish, drive: Drive, asked: Request, usual: Usual, others: Sequence[Wish] = ()) -> Wish:
    writer = None if asked.writable is None else writer_named(asked.writable)
    return put_to_use(wish, drive, usual, others, writer=writer, place=asked.mount_point)


def _draw() -> str:
    return str(uuid4())


def striped_wish(
    machine: Machine,
    drives: Sequence[Drive],
    recordings: Sequence[Recording],
    asked: Request,
    possible: Sequence[str],
    phrases: Sequence[str] = (),
    room: int | None = None,
) -> Wish:
    """A request with the filesystem that is advised for the first drive, of those that are `possible` on
    several, or the named one.

    They are judged by the `room` in bytes that all drives have together; None is that of a stripe.
    """
    profile = find_workload(asked.workload)
    room = sum(drive.size_bytes or 0 for drive in drives) if room is None else room
    advice = advise(machine, drives[0], recordings[0], profile, size_bytes=room or None)
    choice = (
        choice_on(advice, possible) if asked.filesystem is None else named_choice(advice, asked.filesystem)
    )
    site = site_of(machine, drives[0], recordings[0], profile, room or None)
    return wish_with_options(choice, profile, asked, site, phrases, None)


def requests_of(arguments: Namespace) -> tuple[Request, ...]:
    """What was asked for on the command line; raises BadInput where it cannot be."""
    if arguments.delete or arguments.grow:
        return ()
    if arguments.volume is None and arguments.preset is None:
        asked = request(
            arguments.workload, None, arguments.label, arguments.mount, arguments.fs, arguments.option or ()
        )
        encrypt = ENCRYPTIONS[0] if arguments.encrypt else None
        return (replace(asked, encrypt=encrypt, writable=arguments.writable),)
    if arguments.encrypt:
        raise BadInput(f"--encrypt goes with --workload; within --volume write encrypt={ENCRYPTIONS[0]}.")
    for word in ("fs", "label", "mount", "writable", "option"):
        if getattr(arguments, word) is not None:
            raise BadInput(f"--{word} goes with --workload; within --volume write {word}=...")
    return tuple(parse_volume(text) for text in arguments.volume or ())


def _narrate(plan: Plan, output: str | None) -> None:
    for line in plan_lines(plan, min(max(err().width, 40), 120)):
        err().print(line, soft_wrap=True)
    say("")
    if said := unread_words(plan):
        say(f"Nothing has been written to the drive. {said}")
        return
    name = "PLAN.json" if output is None else shlex.quote(printable(output, 4000))
    say("Nothing has been written to the drive. To apply this plan, exactly as shown:")
    say(f"    sudo diskwright apply {name} {confirmation(plan)}")


def write_plan(plan: Plan, path: Path) -> None:
    """Put the plan in a file in one move; raises BadInput for a place that is no file, Failed where it cannot
    be written."""
    write_file(path, render_plan(plan), "The plan")
