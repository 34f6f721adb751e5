"""`diskwright plan`: plan a layout and write it to a file. `diskwright advise`: recommend filesystems and
options for a drive and a workload. Neither writes to a drive."""

import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path

from wizard.advice.catalogue import load_catalogue
from wizard.advice.ranking import advise
from wizard.advice.request import check_phrases
from wizard.advice.workloads import find_workload
from wizard.cli import command
from wizard.cli.output import Document, save, say, show
from wizard.documents.codec import render_document
from wizard.findings.diagnose import diagnose
from wizard.findings.drive_faults import turning_words
from wizard.findings.geometry import load_patterns
from wizard.host.services import Services
from wizard.model.advice import Advice
from wizard.model.ensure import WantedVolume
from wizard.model.errors import BadInput
from wizard.model.layout import Level, Stripe
from wizard.model.machine import Drive, Machine, Partition
from wizard.model.said import Message, Sentence, format_capacity, parse_size, t
from wizard.plan.documents import PLANS
from wizard.plan.refusals import needs_root
from wizard.plan.request import plan_request, volume_request
from wizard.plan.request.wanted import desktop_requests, room_for_preset, with_volumes, written
from wizard.plan.text import AGAIN_AS_ROOT, UNREAD, unread_words
from wizard.probe import machine as probed
from wizard.ui import view as ui
from wizard.ui.components.advice_rows import advice_page
from wizard.ui.jobs.in_place import job_of

NOTHING_PLANNED = Sentence(
    "Choose what to store: `diskwright plan {device} --workload large-media`. `diskwright workloads` lists "
    "the workloads. `diskwright plan --help` explains --volume, --preset, --delete, --grow, --grow-to and "
    "--shrink."
)
FOR_DRIVES = ("preset", "table", "stripe", "mirror", "lvm", "chunk", "metadata", "restore-table", "use-free")
"""Options that require a whole drive."""

CHANGES = ("delete", "grow", "grow_to", "shrink")
"""Options that change a partition without a new filesystem."""


def plan(arguments: Namespace) -> None:
    """Plan, show the plan, and save it."""
    arguments.danger = arguments.danger or []
    requests = requests_of(arguments)
    part = _machine_and_part(arguments.devices[0], arguments.machine) if len(arguments.devices) == 1 else None
    change = next((word for word in CHANGES if getattr(arguments, word)), None)
    if change is not None and part is None:
        probed.machine_and_drives(arguments.devices, arguments.machine)
        option = f"--{change.replace('_', '-')}"
        raise BadInput(command.REQUIRES(option=option, needed=t("one partition, such as /dev/sdX2")))
    check_phrases(arguments.danger, [name for asked in requests for name in asked.option], load_catalogue())
    machine, drives = (
        (part[0], part[1:2]) if part else probed.machine_and_drives(arguments.devices, arguments.machine)
    )
    _tell_unread(arguments, drives)
    wanted, requests = _request(arguments, requests, machine, drives[0], part[2] if part else None)
    services = Services(machine, arguments.machine) if arguments.machine else Services()
    request = with_volumes(machine, drives, wanted, requests, services.usual(), arguments.danger)
    plan = services.plan(machine, drives, request)
    to_file = arguments.output not in (None, "-")
    if to_file:
        save(arguments.output, PLANS.render(plan))
    job = job_of(services, plan)
    show(job.page(), sys.stderr)
    if said := unread_words(plan):
        say(t("Nothing was written."), said)
    else:
        say(command.NOT_WRITTEN)
        say(f"    {job.command(arguments.output if to_file else 'PLAN.json')}")
    if not to_file:
        sys.stdout.write(PLANS.render(plan))


def _machine_and_part(device: str, recorded: str | None) -> tuple[Machine, Drive, Partition] | None:
    """Return the machine, drive and partition, or None if `device` is not a partition. Raises BadInput if the
    table does not list it."""
    if recorded is None:
        if not (path := probed.drive_under(device)):
            return None
        machine = probed.with_others(probed.probe_machine([path]))
        node = str(Path(device).resolve())
    else:
        machine, node = probed.load_machine(Path(recorded)), device
    for drive in machine.drives:
        if part := drive.partition(node):
            return machine, drive, part
    if recorded is None:
        raise BadInput(
            t("The table of {drive} could not be read, or does not list {part}.", drive=path, part=device)
        )
    return None


def _tell_unread(arguments: Namespace, drives: Sequence[Drive]) -> None:
    unread = [drive for drive in drives if drive.content_digest is None and needs_root(drive)]
    if not unread:
        return
    said = UNREAD(drives=tuple(drive.path for drive in unread), count=len(unread))
    if arguments.machine is None:
        say(said, AGAIN_AS_ROOT)
        say(f"    {command.given_again(arguments)}")
    else:
        say(said, t("Record the machine as root: sudo diskwright inspect --save FILE"))
    say("")


def _request(
    arguments: Namespace,
    volumes: tuple[WantedVolume, ...],
    machine: Machine,
    drive: Drive,
    part: Partition | None,
) -> tuple[plan_request.Request, tuple[WantedVolume, ...]]:
    """Raises BadInput for options that exclude each other."""
    if part is not None and (change := _change(arguments, drive, part)):
        return change, ()
    if arguments.restore_table:
        return plan_request.RestoreTable(arguments.table), ()
    mode = plan_request.Mode.USE_FREE if arguments.use_free else None
    if arguments.replace:
        mode = plan_request.Mode.REPLACE
    stripe: Stripe | None = None
    if kind := arguments.stripe or arguments.mirror:
        chunk = parse_size(arguments.chunk) if arguments.chunk else 0
        if arguments.chunk:
            plan_request.check_chunk(chunk)
        level: Level = "raid1" if arguments.mirror else "raid0"
        stripe = Stripe(kind, chunk_bytes=chunk, metadata=arguments.metadata or "", level=level)
    if arguments.preset is not None:
        room = room_for_preset(drive, preserve=arguments.use_free)
        volumes = desktop_requests(room, machine.memory_bytes)
        texts = " ".join(f"--volume {written(asked)}" for asked in volumes)
        say(t("--preset {preset} expands to:", preset=arguments.preset), texts)
        say("")
    arrangement = plan_request.Arrangement(arguments.table or "gpt", arguments.lvm, stripe)
    return plan_request.NewVolumes((), mode, arrangement, part), volumes


def _change(arguments: Namespace, drive: Drive, part: Partition) -> plan_request.Request | None:
    """Return None to format the partition. Raises BadInput for options that need a whole drive."""
    for word in FOR_DRIVES:
        if getattr(arguments, word.replace("-", "_")):
            raise BadInput(command.NEEDS_DRIVE(option=f"--{word}", drive=drive))
    if arguments.shrink is not None:
        return plan_request.ResizePart(part, parse_size(arguments.shrink), grows=False)
    if arguments.grow_to is not None:
        return plan_request.ResizePart(part, parse_size(arguments.grow_to))
    if arguments.grow:
        return plan_request.ResizePart(part, None)
    return plan_request.DeletePart(part) if arguments.delete else None


def requests_of(arguments: Namespace) -> tuple[WantedVolume, ...]:
    """Return the requested volumes. Raises BadInput."""
    if arguments.restore_table or any(getattr(arguments, word) for word in CHANGES):
        return ()
    if arguments.volume is None and arguments.preset is None:
        if arguments.workload is None:
            raise BadInput(NOTHING_PLANNED(device=arguments.devices[0]))
        asked = WantedVolume(
            arguments.workload,
            label=arguments.label,
            mount=arguments.mount,
            fs=arguments.fs,
            option=tuple(arguments.option or ()),
            encrypt=volume_request.ENCRYPTIONS[0] if arguments.encrypt else None,
            writable=arguments.writable,
        )
        volume_request.check_volume(asked)
        return (asked,)
    return tuple(volume_request.parse_volume(text) for text in arguments.volume or ())


ADVICE_SCHEMA = "diskwright.advice/1"


def advise_drive(arguments: Namespace) -> Document:
    """Rank the filesystems for a drive and a workload."""
    profile = find_workload(arguments.workload)
    machine, (drive,) = probed.machine_and_drives([arguments.device], arguments.machine)
    recording = diagnose(machine, drive, load_patterns()).recording
    advice = advise(machine, drive, recording, profile)
    return render_document(ADVICE_SCHEMA, advice), advice_text(advice, drive)


def advice_text(advice: Advice, drive: Drive) -> Iterator[ui.Block]:
    """Show the workload, the drive and the ranking."""
    facts: list[Message | str] = [drive.model] if drive.model else []
    facts += [format_capacity(drive.size_bytes)] if drive.size_bytes is not None else []
    described = f"{drive.path} ({', '.join(map(str, (*facts, turning_words(drive))))})"
    yield ui.para(ui.strong(t("{purpose} on {drive}", purpose=advice.workload.title, drive=described)))
    yield from advice_page(advice)
