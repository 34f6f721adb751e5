"""Commands that change something that exists: work out a document, then show, save or start it."""

from __future__ import annotations

import shlex
from argparse import Namespace
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from wizard.advice.workloads import find_workload
from wizard.apply.local_runs import LocalRuns
from wizard.apply.plan.run_summary import as_options
from wizard.apply.run.job import check_root
from wizard.apply.run.kinds import render_any
from wizard.cli.command import NOT_WRITTEN, typed
from wizard.cli.output import Document, deliver, save, say, tell
from wizard.cli.start import environment_of, offer, page_of
from wizard.documents.codec import render_document
from wizard.ext4.blockers import COPY_COMMANDS, COPY_INSTEAD
from wizard.ext4.ways import NEW_INSTEAD, SUMMARIES
from wizard.filesystems.registry import KINDS
from wizard.model import requests
from wizard.model.advice import Workload
from wizard.model.errors import BadInput, ExitCode
from wizard.model.finding import Severity
from wizard.model.said import t
from wizard.operations.operation import Context
from wizard.plan.changes import Changes, Prospect, Way
from wizard.ui.components.advice_rows import offer_blocks
from wizard.ui.components.drive_rows import finding_paras
from wizard.ui.messages import NOT_MOUNTED, TAKES
from wizard.ui.view import GAP, Block, para, strong

if TYPE_CHECKING:
    from wizard.apply.settings.existing_filesystem import ExistingVolume

PROSPECT_SCHEMA = "diskwright.prospect/1"


def _mount(given: Namespace) -> requests.Wanted:
    from wizard.probe.host.environment import caller

    return requests.Attach(
        given.at, given.options, not given.once, given.writable or caller(), given.writable
    )


WANTED: dict[str, Callable[[Namespace], requests.Wanted]] = {
    "label": lambda given: requests.SetLabel(given.label),
    "new-uuid": lambda _: requests.NewUuid(),
    "mount": _mount,
    "unmount": lambda given: requests.Detach(given.boot),
    "remount": lambda given: requests.SetOptions(given.options),
    "grow": lambda _: requests.Grow(),
    "power-off": lambda _: requests.SwitchOff(),
    "release": lambda _: requests.Release(),
}
"""Requested change by command."""


def act(arguments: Namespace) -> ExitCode:
    """Change one thing on an existing filesystem or drive."""
    runs = LocalRuns(environment_of(arguments), arguments.journal)
    return offer(runs.work_out(arguments.device, WANTED[arguments.words[0]](arguments)), arguments)


def move(arguments: Namespace) -> ExitCode:
    """Move a partition, or all misaligned partitions of a drive."""
    from wizard.apply.settings.existing_filesystem import nodes_of
    from wizard.findings.diagnose import diagnose
    from wizard.findings.geometry import load_patterns
    from wizard.plan.partition.moves import NO_PARTITION, one_moves, planned_moves
    from wizard.probe.machine import probe_machine

    node, path = nodes_of(arguments.device)
    machine = probe_machine([path])
    (drive,) = machine.drives
    recording = diagnose(machine, drive, load_patterns()).recording
    if node == path and arguments.to is None:
        return offer(planned_moves(machine, drive, recording), arguments)
    part = drive.partition(node)
    if part is None:
        raise BadInput(NO_PARTITION(device=node))
    return offer(one_moves(machine, drive, part, arguments.to, recording), arguments)


def bring(arguments: Namespace) -> ExitCode:
    """Copy files to a volume."""
    # Only root can read the folders of all users.
    check_root()
    asked = requests.CopyFiles(arguments.source, arguments.target, arguments.into or "", arguments.take_place)
    runs = LocalRuns(environment_of(arguments), arguments.journal)
    return offer(runs.work_out(asked.target, asked), arguments)


def tune(arguments: Namespace) -> None:
    """Suggest settings, and save the changes if requested."""
    from wizard.apply.settings.existing_filesystem import look_at_filesystem
    from wizard.apply.settings.plan_settings import changes_to

    environment, workload = environment_of(arguments), find_workload(arguments.workload).workload
    existing = look_at_filesystem(arguments.device, environment)
    changes = changes_to(existing, requests.Tune(workload.id, arguments.writable))
    document = render_any(changes)
    if arguments.output is not None:
        if not changes.steps:
            raise BadInput(
                t(
                    "No changes to apply for {device}; {file} was not written.",
                    device=existing.device,
                    file=arguments.output,
                )
            )
        save(arguments.output, document)
    deliver(arguments, document, _tuning_blocks(workload, existing, changes))
    for step in () if arguments.json else changes.steps:
        tell(step.operation.file_difference(Context(changes.drive), existing.fstab_text))
    if arguments.output is not None:
        own_fstab = () if environment.is_running_system else ("--fstab", shlex.quote(str(environment.fstab)))
        say(NOT_WRITTEN)
        say(typed("apply", shlex.quote(arguments.output), as_options(changes.tokens), *own_fstab))


def _tuning_blocks(workload: Workload, existing: ExistingVolume, changes: Changes) -> Iterator[Block]:
    """Omit the edits of whole files."""
    volume = f"{existing.device}, {existing.mount_point or NOT_MOUNTED}"
    yield para(t("{purpose} on {drive}", purpose=workload.title, drive=volume))
    yield para(t("Suggested, not yet applied:") if changes.reasons else t("No better settings are known."))
    if existing.line is None and KINDS[existing.filesystem].kernel_names:
        yield para(t("No fstab line found, so mount options were not checked."))
    yield GAP
    steps = (replace(step, edits=()) if step.operation.edited_file else step for step in changes.steps)
    yield from page_of(replace(changes, steps=tuple(steps)))


def migrate(arguments: Namespace) -> Document | ExitCode:
    """Compare the conversions to ext4, or show, save or start one."""
    from wizard.apply.conversion.guard import look_at_ext
    from wizard.ext4.document import make_migration, prospect_of

    situation = look_at_ext(arguments.device, environment_of(arguments))
    if arguments.way is None:
        prospect = prospect_of(situation)
        return render_document(PROSPECT_SCHEMA, prospect), prospect_blocks(prospect)
    made = make_migration(
        situation, Way(arguments.way), manifest=arguments.manifest, repairs=arguments.repair
    )
    return offer(made, arguments)


def prospect_blocks(prospect: Prospect) -> Iterator[Block]:
    """Show findings, conversions and the recommendation."""
    device, before = prospect.device, prospect.before
    yield para(
        t(
            "{filesystem}: {kind}, {size:size}, {used:size} used, inodes of {inode} bytes, UUID {uuid}",
            filesystem=f'{device}, "{before.label}"' if before.label else device,
            kind=before.kind,
            size=before.size_bytes,
            used=(before.blocks - before.free_blocks) * before.block_bytes,
            inode=before.inode_bytes,
            uuid=before.uuid,
        )
    )
    obstacles = {offer.obstacle_code for offer in prospect.offers}
    told = [
        one for one in prospect.findings if one.severity is not Severity.INFO or one.code not in obstacles
    ]
    if told:
        yield GAP
        yield from finding_paras(told)
    for one in prospect.offers:
        yield GAP
        yield para(strong(f"{one.way}:"), SUMMARIES[one.way])
        yield from offer_blocks(prospect, one)
        if not one.obstacle:
            room = (t("Extra space: up to {room:size}.", room=one.room_bytes),) if one.room_bytes else ()
            yield para(TAKES(seconds=one.seconds), *room)
    yield GAP
    if prospect.default is not None:
        yield para(t("Recommended: {way}.", way=prospect.default), prospect.why)
    else:
        yield para(prospect.why)
    yield para(NEW_INSTEAD, COPY_INSTEAD, COPY_COMMANDS)
