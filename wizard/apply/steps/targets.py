"""Check that a device contains what the plan made, right before a step uses it.

A node such as /dev/sdb1 can belong to another drive after a restart. The run holds the drive's lock, and the
kernel reuses no name of a drive that somebody has open, so the answer holds until the run ends.
"""

import stat
from contextlib import suppress
from pathlib import Path

from wizard.apply.run.environment import LOOK_SECONDS
from wizard.apply.steps.readback import listed_signatures
from wizard.layout.steps.commands import physical_volume_uuid
from wizard.model.errors import Failed
from wizard.model.names import printable
from wizard.model.operations.encryption import OpenContainer
from wizard.model.operations.make_filesystem import MakeFilesystem
from wizard.model.operations.writer import SetOwner
from wizard.model.plan import MakeSubvolumes, Mount, Operation, Plan, TurnOnSwap
from wizard.model.said import t
from wizard.tools.program import run

CONTAINER = "crypto_LUKS"
PHYSICAL_VOLUME = "LVM2_member"
"""libblkid's TYPE."""


def check_target(plan: Plan, operation: Operation, seconds: float) -> None:
    """Raises Failed if a device that the step mounts, opens or swaps to does not contain what the plan put
    there, or if that cannot be read."""
    for device, (kind, uuid) in _planned(plan, operation).items():
        _check_contains(device, kind, uuid, seconds)


def check_group_device(plan: Plan) -> None:
    """Raises Failed if the partition of the plan's volume group does not contain its physical volume."""
    if plan.group:
        uuid = physical_volume_uuid(plan.group.uuid)
        _check_contains(plan.group.device, PHYSICAL_VOLUME, uuid, LOOK_SECONDS)


def check_no_clone(plan: Plan) -> None:
    """Raises Failed if another device has the UUID of something that the plan made: at the next start either
    could be mounted. A device that does not answer in time is not waited for."""
    planned: dict[str, set[str]] = {}
    for step in plan.steps:
        for device, (_, uuid) in _planned(plan, step.operation).items():
            planned.setdefault(uuid, set()).add(device)
    for uuid, devices in planned.items():
        numbers = {_number(device) for device in devices}
        found = _devices_with(uuid)
        if not numbers & {_number(node) for node in found}:
            # Its drive has another name now, which is for the step to say.
            continue
        for other in found:
            if _number(other) not in numbers:
                raise Failed(
                    t(
                        "{device} and {other} have the same UUID ({uuid}), so either could be "
                        "mounted at the next start. Detach {other}, or give it another UUID.",
                        device=min(devices),
                        other=printable(other),
                        uuid=uuid,
                    )
                )


def _planned(plan: Plan, operation: Operation) -> dict[str, tuple[str, str]]:
    """The type and UUID that each device of a step must show."""
    match operation:
        case OpenContainer(device=device, uuid=uuid):
            return {device: (CONTAINER, uuid)}
        case MakeSubvolumes() | SetOwner() | Mount():
            devices = {operation.device, *operation.others}
        case TurnOnSwap(device=device):
            devices = {device}
        case _:
            return {}
    made = [step.operation for step in plan.steps if isinstance(step.operation, MakeFilesystem)]
    return {
        device: (one.filesystem, one.uuid)
        for one in made
        for device in (one.device, *one.others)
        if device in devices
    }


def _check_contains(device: str, kind: str, uuid: str, seconds: float) -> None:
    if _number(device) is None or uuid not in {one.uuid for one in listed_signatures(device, seconds)}:
        if others := tuple(printable(other) for other in _devices_with(uuid)):
            raise Failed(
                t(
                    "{device} does not contain the planned {kind} (UUID {uuid}): {others:list} "
                    "does. Another drive has that name now.",
                    device=device,
                    kind=kind,
                    uuid=uuid,
                    others=others,
                )
            )
        raise Failed(
            t(
                "{device} does not contain the planned {kind} (UUID {uuid}). Another drive "
                "may have that name now.",
                device=device,
                kind=kind,
                uuid=uuid,
            )
        )


def _devices_with(uuid: str) -> list[str]:
    """The nodes of all devices with this UUID, as libblkid reads them now."""
    argv = ("blkid", "--match-token", f"UUID={uuid}", "--output", "device")
    with suppress(Failed):
        return run(argv, seconds=LOOK_SECONDS, accept=(0, 2)).output.split()
    return []


def _number(node: str) -> int | None:
    """The kernel's number of a block device; None if there is no such device."""
    with suppress(OSError):
        found = Path(node).stat()
        return found.st_rdev if stat.S_ISBLK(found.st_mode) else None
    return None
