"""Resize any filesystem on a copy-on-write scratch copy: check, resize and check again.

The scratch copy shows the whole filesystem, so the tools may also move file data. Everything that they write
is saved, and committed like other changes.
"""

import re
import shlex
from collections.abc import Callable
from functools import partial

from wizard.apply.block import devices
from wizard.apply.run.process import NOTHING_WRITTEN
from wizard.apply.steps import step_context
from wizard.apply.steps.filesystem import at_private_place, resize_checks
from wizard.filesystems import ext, ntfs
from wizard.model.errors import Failed
from wizard.model.machine import Signature
from wizard.model.said import MIB, Message, Sentence, join, rounded_up, t
from wizard.operations.filesystem import GrowFilesystem, Resize, ShrinkFilesystem
from wizard.plan.partition.possible import UNCLEAN
from wizard.probe.content.superblocks import read_inside
from wizard.process.program import Result, run

CUT_OFF = t("The filesystem was not unmounted cleanly: mount and unmount the filesystem first.")
NOT_TOLD = Sentence("{program} does not report {what:and}.")
DEVICES = Sentence("The filesystem spans {devices} devices; resizing supports only one.")

EXT = re.compile(r"(?m)^Block count:\s+(\d+)\n(?:.*\n)*?Block size:\s+(\d+)$")
XFS = re.compile(r"(?m)^data\s+=\s*bsize=(\d+)\s+blocks=(\d+)")
BTRFS = re.compile(r"(?m)^\s*devid\s+(\d+)\s+size (\d+)\s")


BTRFS_SUPERBLOCK = ("btrfs", "inspect-internal", "dump-super")
BTRFS_CHUNKS = ("btrfs", "inspect-internal", "dump-tree", "--tree", "chunk")
CHUNK = re.compile(r"CHUNK_ITEM \d+\).*?\n\s+length \d+ .*? type (\S+)\n")


def chunks_in(text: str) -> tuple[tuple[frozenset[str], str], ...]:
    """Parse the chunk tree of a Btrfs from dump-tree, and return the types (DATA, METADATA, SYSTEM) and
    profile of each chunk. Raises Failed if it lists no chunks. Pure."""
    kinds = CHUNK.findall(text)
    if len(kinds) != text.count("CHUNK_ITEM ") or not kinds:
        raise Failed(NOT_TOLD(program="btrfs", what=("CHUNK_ITEM",)))
    return tuple((frozenset(holds), profile) for *holds, profile in (kind.split("|") for kind in kinds))


def number_in(text: str, name: str) -> int:
    """Return a number from dump-super. Raises Failed if it is missing. Pure."""
    found = re.search(rf"(?m)^{re.escape(name)}\s+(\d+)", text)
    if found is None:
        raise Failed(NOT_TOLD(program="btrfs", what=(name,)))
    return int(found[1])


def held_in_use(filesystem: str, device: str, place: str) -> tuple[int, int]:
    """Return the size in bytes of a mounted filesystem by the filesystem's tool, and a Btrfs device ID.
    Raises Failed if the size is unknown, or if the filesystem spans several devices."""
    command, pattern = {
        "xfs": (("xfs_growfs", "-n", place), XFS),
        "btrfs": (("btrfs", "filesystem", "show", "--raw", place), BTRFS),
    }.get(filesystem, (("dumpe2fs", "-h", device), EXT))
    output = run(command).output
    found = pattern.findall(output)
    if not found:
        raise Failed(step_context.NOT_UNDERSTOOD(program=command[0], said=output))
    first, second = map(int, found[0])
    if filesystem != "btrfs":
        return first * second, 1
    if len(found) > 1:
        raise Failed(DEVICES(devices=len(found)))
    return second, first


def is_filled(held_bytes: int, size_bytes: int) -> bool:
    """Return True if the filesystem fills its device as far as possible. The last block group may be too
    small to use."""
    return size_bytes * 9 // 10 <= held_bytes <= size_bytes


Ask = Callable[..., Result]
"""Runs a read-only command on the scratch copy, whose node is appended. Accepts any exit status."""


def _fault(operation: Resize, node: str, ask: Ask) -> Message | None:
    """Return why a filesystem on a scratch copy must not be resized, beyond what its checker finds."""
    match operation.filesystem:
        case "xfs":
            output = ask("xfs_db", "-r", "-c", "sb 0", "-c", "p logstart rblocks").output
            found = dict(re.findall(r"(?m)^(\w+) = (\d+)$", output))
            if found.get("rblocks") != "0" or found.get("logstart", "0") == "0":
                return t("The filesystem's log or some files are on another device.")
            return None
        case "btrfs":
            output = ask(*BTRFS_SUPERBLOCK).output
            if (count := number_in(output, "num_devices")) != 1:
                return DEVICES(devices=count)
            is_cut_off = number_in(output, "log_root") != 0
        case "ntfs":
            return _ntfs_fault(operation, ask)
        case _:
            is_cut_off = devices.facts_on(node).needs_recovery
    return CUT_OFF if is_cut_off else None


LEAST_SAID = re.compile(r"might resize at (\d+) bytes")
SCHEDULED = re.compile(r"scheduled\s+for\s+check")
PROBE = ("ntfs-3g.probe", "--readwrite")
PROBED_HIBERNATED, PROBED_UNCLEAN = 14, 15
"""Exit statuses of ntfs-3g.probe(8)."""


def _ntfs_fault(operation: Resize, ask: Ask) -> Message | None:
    """Check the size with ntfsresize, and the journal and hibernation with ntfs-3g's own rules."""
    device, result = operation.device, ask(*ntfs.INFO)
    output = result.output + result.errors
    if result.status:
        return UNCLEAN(device=device) if SCHEDULED.search(output) else _not_clean(device, *ntfs.CHECK)
    least = LEAST_SAID.search(output)
    if not operation.grows and least and int(least[1]) > operation.size_bytes:
        return t(
            "{device} cannot be that small: choose {least:exact} or slightly more.",
            device=device,
            least=rounded_up(int(least[1]), MIB),
        )
    status = ask(*PROBE).status
    if status == PROBED_HIBERNATED:
        return t(
            "Windows is hibernated on {device}. Start Windows, turn off fast startup and "
            "shut down: `shutdown /s /t 0`.",
            device=device,
        )
    if status == PROBED_UNCLEAN:
        return t(
            "The journal of {device} has unfinished changes by Windows. Start Windows, then shut down.",
            device=device,
        )
    return _not_clean(device, *PROBE) if status else None


LOG_LEFT = re.compile("(?i)valuable metadata changes in a log")
"""Output of xfs_repair if the log is not empty (xfsprogs, repair/phase2.c)."""


def check_resizable(operation: Resize, node: str, seconds: float) -> None:
    """Raises Failed unless the filesystem on the scratch copy `node` is clean, complete and supported. The
    operation names the drive's own partition."""

    def ask(*argv: str) -> Result:
        return run((*argv, node), seconds=seconds, accept=range(256))

    fault = _fault(operation, node, ask)
    if fault is None and operation.growing:
        checked = ask(*operation.growing.check)
        if LOG_LEFT.search(checked.output + checked.errors):
            fault = CUT_OFF
        elif checked.status:
            fault = _not_clean(operation.device, *operation.growing.check)
    if fault:
        raise Failed(join(fault, NOTHING_WRITTEN))


def _resize_filesystem(operation: Resize, context: step_context.StepContext) -> Message:
    """Resize the filesystem and check it again. Return a summary. Raises Failed."""
    device, growing = operation.device, operation.growing
    if not context.rehearsed or growing is None:
        raise Failed(step_context.NOT_REHEARSED(device=device))
    if growing.mounted:
        with at_private_place(operation, context):
            pass
    else:
        context.run_commands()
    if context.command((*growing.check, device), accept=range(256)).status:
        raise Failed(_not_clean(device, *growing.check))
    devices.forget_caches(device)
    mark, read = Signature(operation.filesystem, ""), partial(devices.read_range, device)
    held = read_inside(mark, read, devices.size_bytes(device)).size_bytes or 0
    if not is_filled(held, operation.size_bytes):
        raise Failed(t("The filesystem on {device} does not fill the partition.", device=device))
    return t("The filesystem on {device} now has {held} bytes and passes a check.", device=device, held=held)


def _not_clean(device: str, *check: str) -> Message:
    # Without -n, e2fsck repairs.
    command = shlex.join((*(("e2fsck", "-f") if check == ext.CHECK else check), device))
    return t("{device} is not clean: run `{command}`.", device=device, command=command)


STEPS: step_context.Steps = dict.fromkeys(
    (GrowFilesystem, ShrinkFilesystem), (_resize_filesystem, resize_checks)
)
