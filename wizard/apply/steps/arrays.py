"""md arrays across the plan's drives: identify, assemble, stop and dismantle.

An array belongs to the run if all members are partitions of the plan's drives, with the planned UUID.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from time import sleep

from wizard.apply.block.devices import SYS_BLOCK, kernel_name, open_exclusively, wait_for
from wizard.apply.run.backup_store import LOOK_SECONDS
from wizard.apply.steps.step_context import IN_USE, NO_NODE, Do
from wizard.model.errors import Failed, Refused
from wizard.model.layout import Stripe
from wizard.model.said import t
from wizard.operations.layers import MakeArray, array_uuid
from wizard.plan.plan import Plan
from wizard.plan.raid.striping import parts_of
from wizard.probe.host.sysfs import node_of
from wizard.process.program import run

STOP_TRIES = 10
STOP_PAUSE_SECONDS = 0.3

WAITING_STATES = ("read-auto", "readonly")
"""States in which md copies nothing (Documentation/admin-guide/md.rst, array_state). On Debian, arrays start
in read-auto until the first write (start_ro)."""


def array_parts(plan: Plan) -> tuple[str, ...]:
    """Return the partitions of the plan's array, in order."""
    return parts_of([member.drive for member in plan.members])


def check_free_array(plan: Plan) -> None:
    """Raises Refused if the node or UUID planned for the array is in use. mdadm does not check the UUID."""
    stripe = plan.stripe
    if stripe is None or stripe.kind == "btrfs":
        return
    if _md_taken(stripe.device):
        raise Refused(
            t(
                "{device} already belongs to another array. Make a new plan. Nothing was written.",
                device=stripe.device,
            )
        )
    uuid = array_uuid(stripe.uuids[0])
    if f"UUID={uuid}" in run(("mdadm", "--detail", "--scan"), seconds=LOOK_SECONDS).output.split():
        raise Refused(
            t("Another array has the UUID {uuid}. Make a new plan. Nothing was written.", uuid=uuid)
        )


def taken_arrays() -> tuple[str, ...]:
    """Return the nodes of all existing md arrays."""
    found = (
        node_of(entry.name) for entry in sorted(SYS_BLOCK.glob("md*")) if not (entry / "partition").exists()
    )
    return tuple(node for node in found if _md_taken(node))


def _md_taken(node: str) -> bool:
    state = SYS_BLOCK / kernel_name(node) / "md/array_state"
    return (SYS_BLOCK / kernel_name(node)).exists() and not (
        state.exists() and state.read_text().strip() == "clear"
    )


def layers_on(parts: Sequence[str]) -> tuple[str, ...]:
    """Return the md arrays and device-mapper nodes on these partitions and no others."""
    names = {kernel_name(part) for part in parts}
    found = []
    for entry in sorted(Path("/sys/block").glob("*")):
        slaves = {slave.name for slave in (entry / "slaves").glob("*")}
        if slaves and slaves <= names and ((entry / "md").exists() or (entry / "dm").exists()):
            found.append(node_of(entry.name))
    return tuple(found)


def running_array(plan: Plan, do: Do) -> str | None:
    """Return the kernel node of the plan's running array, or None. Raises Failed if another array uses its
    members."""
    stripe = plan.stripe
    if stripe is None or stripe.kind == "btrfs":
        return None
    for node in layers_on(array_parts(plan)):
        if not _is_own(node, stripe, do):
            raise Failed(
                t(
                    "{node} uses a drive of this plan but is not planned, so it was not touched.",
                    node=node,
                )
            )
        return node
    return None


def _is_own(node: str, stripe: Stripe, do: Do) -> bool:
    # An array that was never started does not report its UUID, but its members do.
    output = do(("mdadm", "--detail", "--export", node)).output
    return f"MD_UUID={array_uuid(stripe.uuids[0])}" in output.splitlines()


def own_array_node(plan: Plan, do: Do) -> None:
    """Raises Failed unless the array's device node belongs to the plan's own running array."""
    node, device = running_array(plan, do), plan.stripe.device if plan.stripe else ""
    if (
        node is None
        or not Path(device).is_block_device()
        or kernel_name(device) != kernel_name(node)
        or not is_node_of(device)
    ):
        raise Failed(t("{device} was not touched: this run did not make that array.", device=device))


def is_node_of(device: str) -> bool:
    """Return True if the node has the device number that the kernel uses for its name."""
    number = Path(device).stat().st_rdev
    return (
        SYS_BLOCK / kernel_name(device) / "dev"
    ).read_text().strip() == f"{os.major(number)}:{os.minor(number)}"


def own_uses(plan: Plan, begun: frozenset[int], do: Do) -> frozenset[tuple[str, str]]:
    """Return the pairs of member and array by which the run itself uses its drives."""
    made = any(
        number in begun and isinstance(step.operation, MakeArray) for number, step in enumerate(plan.steps, 1)
    )
    if not made or (node := running_array(plan, do)) is None:
        return frozenset()
    return frozenset((part, node) for part in array_parts(plan))


def carry(parts: Sequence[str], uuid: str, do: Do) -> bool:
    """Return True if all these partitions have a superblock of the array with this UUID."""
    try:
        return all(
            f"MD_UUID={array_uuid(uuid)}" in do(("mdadm", "--examine", "--export", part)).output.splitlines()
            for part in parts
        )
    except Failed:
        # mdadm fails for partitions without a superblock.
        return False


def assemble(plan: Plan, stripe: Stripe, do: Do) -> None:
    """Run the plan's md array under its own number. Raises Failed, and Refused if another array has that
    number."""
    node = running_array(plan, do)
    if node == stripe.device:
        return
    if node is not None:
        _stop(node, do)
    check_free_array(plan)
    do(("mdadm", "--assemble", stripe.device, f"--uuid={array_uuid(stripe.uuids[0])}", *array_parts(plan)))
    if missing := wait_for((stripe.device,)):
        raise Failed(NO_NODE(node=missing))


def _stop(node: str, do: Do) -> None:
    """Stop an array. Retry, since udev may open it for moments."""
    for attempt in range(STOP_TRIES):
        if reason := open_exclusively(node):
            raise Failed(IN_USE(node=node, why=reason))
        try:
            do(("mdadm", "--stop", node))
        except Failed:
            if attempt == STOP_TRIES - 1:
                raise
            sleep(STOP_PAUSE_SECONDS)
        else:
            return


def stop_own_array(plan: Plan, do: Do) -> None:
    """Stop the plan's md array, under any number. Raises Failed if it is in use, or not the plan's own."""
    if (node := running_array(plan, do)) is not None:
        _stop(node, do)


def assemble_own(plan: Plan, do: Do) -> None:
    """Run the plan's md array under its own number, with all members, and start its resync, which md may
    delay until the first write. Does nothing for other plans. Raises Failed."""
    stripe = plan.stripe
    if stripe is None or stripe.kind == "btrfs":
        return
    assemble(plan, stripe, do)
    folder = SYS_BLOCK / kernel_name(stripe.device)
    # If the power fails between the drives' last signatures, a mirror may have run with only one of them. md
    # then omits the other until it is added again and copied.
    for part in _missing_members(plan, folder):
        do(("mdadm", stripe.device, "--re-add", part))
    if missing := _missing_members(plan, folder):
        raise Failed(t("{device} runs without {parts:list}.", device=stripe.device, parts=tuple(missing)))
    if (folder / "md/array_state").read_text().strip() in WAITING_STATES:
        do(("mdadm", "--readwrite", stripe.device))


def _missing_members(plan: Plan, folder: Path) -> list[str]:
    members = {slave.name for slave in (folder / "slaves").iterdir()}
    return [part for part in array_parts(plan) if kernel_name(part) not in members]
