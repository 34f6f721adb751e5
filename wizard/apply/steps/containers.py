"""Encrypted containers on the plan's drive: identify, create, open, close and verify.

A mapped device belongs to the run if it uses only the plan's partition. Its UUID must also name the container
with the planned UUID.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path

from wizard.apply.block import devices
from wizard.apply.engine.stores import FOLDER
from wizard.apply.run.backup_store import write_durably
from wizard.apply.run.journal import Journal
from wizard.apply.run.process import NOTHING_WRITTEN, UNWRITTEN
from wizard.apply.steps import step_context
from wizard.apply.steps.wipe import recognised_differences, signatures_on
from wizard.apply.system.mounts import is_swap, read_mounts
from wizard.model.errors import Failed, Refused
from wizard.model.layout import Encryption
from wizard.model.run import Check, Event, differences
from wizard.model.said import Message, Sentence, failing, join, t
from wizard.operations import containers
from wizard.plan.plan import Plan
from wizard.probe.host.sysfs import text
from wizard.process.program import run

WRONG_KEY = Sentence("The passphrase does not open {device}.")
WRONG_PASSPHRASE = 2
"""cryptsetup's exit status if no key slot matches (cryptsetup(8), RETURN CODES)."""

KEY_PATIENCE_SECONDS = 600.0
"""Key derivation takes longer on a machine slower than the one that created the container, or short of
memory."""


def is_open(container: Encryption | containers.OpenContainer) -> bool:
    """Return True if the container is open under the planned name. Raises Failed if that name belongs to
    another device."""
    node = container.opened
    if not os.path.lexists(node):
        return False
    folder = devices.sysfs_folder(node)
    slaves = {slave.name for slave in (folder / "slaves").glob("*")}
    uuid_prefix = f"CRYPT-LUKS2-{container.uuid.replace('-', '')}-"
    if (
        not Path(node).is_block_device()
        or text(folder / "dm/name") != container.name
        or slaves != {devices.kernel_name(container.device)}
        or not (text(folder / "dm/uuid") or "").startswith(uuid_prefix)
    ):
        raise step_context.foreign(node)
    return True


def _make_container(operation: containers.MakeContainer, context: step_context.StepContext) -> None:
    """Create the container. Raises Failed."""
    context.run_commands(_secret(context))
    devices.forget_caches(operation.device)


def _open_container(operation: containers.OpenContainer, context: step_context.StepContext) -> None:
    """Open the container, unless this run has opened it. Raises Failed."""
    if not is_open(operation):
        for argv in operation.commands():
            if context.command(argv, stdin=_secret(context), accept=(0, WRONG_PASSPHRASE)).status:
                raise Failed(WRONG_KEY(device=operation.device))
    elif not context.again:
        raise step_context.foreign(operation.opened)
    devices.wait_for(operation.opened)


def keep_headers(plan: Plan, run_folder: Path) -> None:
    """Save each container's header in the run's folder, to check a passphrase while the drive's signatures
    are hidden. Raises Failed."""
    for one in plan.containers:
        file = _header_file(run_folder, one.uuid)
        file.unlink(missing_ok=True)
        run(("cryptsetup", "luksHeaderBackup", "--header-backup-file", str(file), one.device))


def write_header(run_folder: Path, uuid: str, header: bytes) -> None:
    """Save a container's header that was read by other means. Raises Failed."""
    with failing(UNWRITTEN, file=run_folder):
        write_durably(_header_file(run_folder, uuid), header, os.O_TRUNC)


def check_passphrase(plan: Plan, run_folder: Path, secret: bytes) -> None:
    """Raises Refused if the passphrase does not open a container that a rehearsed run has made, even if it is
    not on the drives yet. Containers that cannot be checked now are checked when opened."""
    for one in plan.containers:
        header = _header_file(run_folder, one.uuid)
        source = header if header.exists() else Path(one.device)
        if source.exists() and not opens(str(source), secret):
            raise Refused(join(WRONG_KEY(device=one.device), NOTHING_WRITTEN))


def _header_file(run_folder: Path, uuid: str) -> Path:
    return run_folder / FOLDER / f"header-{uuid}"


def opens(device: str, secret: bytes) -> bool:
    """Return True if the passphrase fits a container or a header file. Does not open it."""
    argv = ("cryptsetup", "open", "--test-passphrase", "--type", "luks2", containers.PASSPHRASE_FROM, device)
    return not run(argv, seconds=KEY_PATIENCE_SECONDS, stdin=secret, accept=(0, WRONG_PASSPHRASE)).status


def close_containers(plan: Plan, journal: Journal) -> None:
    """Close the run's unused containers, when a run ends early. Journals containers that stay open."""
    used, do = {entry.source for entry in read_mounts()}, step_context.told_in(journal)
    for one in plan.containers:
        try:
            if is_open(one) and one.opened not in used and not is_swap(one.opened):
                do(("cryptsetup", "close", one.name))
        except Failed as error:
            journal.add(Event.COMMAND, t("{opened} may still be open: {why}", opened=one.opened, why=error))


def _container_checks(
    operation: containers.MakeContainer, context: step_context.StepContext
) -> Iterator[Check]:
    """Check a container with libblkid, and the header with cryptsetup."""
    device, seconds = operation.device, context.seconds
    yield step_context.matched(
        lambda: recognised_differences(signatures_on(device, context), containers.LUKS, operation.uuid)
    )

    def find() -> Iterator[Message]:
        text = run(("cryptsetup", "luksDump", "--dump-json-metadata", device), seconds=seconds).output
        offset, sector = data_place(text)
        yield from differences(
            (("offset", offset, operation.offset_bytes), ("sector_size", sector, operation.sector_bytes))
        )
        start = devices.start_bytes(device) + offset
        if misalignment := context.plan.drive.geometry.misalignment_bytes(start):
            yield t("{device} is misaligned by {bytes} bytes", device=device, bytes=misalignment)

    yield step_context.matched(find)


def data_place(text: str) -> tuple[int, int]:
    """Return the data offset and the sector size in bytes, from a header in cryptsetup's JSON (LUKS2 On-Disk
    Format, segments). Raises Failed unless there is exactly one segment. Pure."""
    try:
        (segment,) = json.loads(text)["segments"].values()
        return int(segment["offset"]), int(segment["sector_size"])
    except (ValueError, KeyError, TypeError, AttributeError):
        raise Failed(step_context.NOT_UNDERSTOOD(program="cryptsetup", said=text)) from None


def _secret(context: step_context.StepContext) -> bytes:
    if not context.work.secret:
        raise Failed(t("The passphrase is missing."))
    return context.work.secret


STEPS: step_context.Steps = {
    containers.MakeContainer: (_make_container, _container_checks),
    containers.OpenContainer: (
        _open_container,
        lambda operation, _: [step_context.matched(lambda: () if is_open(operation) else (t("nothing"),))],
    ),
}
