"""Encrypted containers on the plan's drive: identify, create, open, close and verify.

A mapped device belongs to the run if it uses only the plan's partition. Its UUID must also name the container
with the planned UUID.
"""

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from wizard.apply.block.devices import SYS_BLOCK, forget_caches, kernel_name, start_bytes, wait_for
from wizard.apply.engine.stores import FOLDER
from wizard.apply.run.backup_store import LOOK_SECONDS, write_durably
from wizard.apply.run.journal import Journal
from wizard.apply.steps.layers import is_swap
from wizard.apply.steps.step_context import NO_NODE, StepContext, demand
from wizard.apply.steps.wipe import signatures_on
from wizard.apply.system.crypttab import add_to_crypttab
from wizard.apply.system.edited_file import kernel_has
from wizard.apply.system.mounts import read_mounts
from wizard.model.errors import Failed, Refused, printable
from wizard.model.ext import Check, Event
from wizard.model.geometry import misalignment_bytes
from wizard.model.machine import Drive
from wizard.model.operations import AddCrypttabLine, Encryption, MakeContainer, OpenContainer
from wizard.model.plan import Plan, TurnOnSwap
from wizard.model.said import Message, Sentence, reason_of, t, tn
from wizard.plan.steps.commands import PASSPHRASE_FROM, commands_of, crypttab_line
from wizard.process.program import run

# Before anything is written.

# The passphrase.

# Whether what is open is the run's own.

# How a step ends.

# Checks, and what they saw.
FOUND = Sentence("{times} found")


KIND = "crypto_LUKS"
"""libblkid's TYPE."""

WRONG_PASSPHRASE = 2
"""cryptsetup's status where no key slot opens by what it was given (cryptsetup(8), RETURN CODES)."""

KEY_PATIENCE_SECONDS = 600.0
"""Deriving the key takes as long on this machine as it is slower than the one that made the container, and
more where memory is short."""


def check_containers(plan: Plan) -> None:
    """Raises Refused where this kernel cannot open a container, or a name that the plan's are to have is
    taken."""
    if not plan.containers:
        return
    if not kernel_has("dm_crypt"):
        raise Refused(
            t(
                "This kernel cannot open encrypted volumes: dm-crypt is neither built in nor "
                "a module. Nothing was written."
            )
        )
    for encryption in plan.containers:
        if os.path.lexists(encryption.opened):
            raise Refused(
                t(
                    "{opened} already exists. Make a new plan. Nothing was written.",
                    opened=encryption.opened,
                )
            )


def opened_node(encryption: Encryption) -> str | None:
    """The kernel's name of what the plan's own container is open as; None where nothing has that name. Raises
    Failed for a stranger."""
    node = Path(encryption.opened)
    if not os.path.lexists(node):
        return None
    name = kernel_name(encryption.opened) if node.is_block_device() else ""
    folder = SYS_BLOCK / name
    if not name or not (folder / "dm").is_dir():
        raise Failed(t("{opened} was not touched: not a device-mapper device.", opened=encryption.opened))
    slaves = {slave.name for slave in (folder / "slaves").glob("*")}
    named = (folder / "dm/name").read_text().strip() == encryption.name
    of = f"CRYPT-LUKS2-{encryption.uuid.replace('-', '')}-"
    if (
        not named
        or slaves != {kernel_name(encryption.device)}
        or not (folder / "dm/uuid").read_text().startswith(of)
    ):
        raise Failed(
            t(
                "{opened} does not map {device} and was not touched.",
                opened=encryption.opened,
                device=encryption.device,
            )
        )
    return name


def own_containers(plan: Plan) -> frozenset[tuple[str, str]]:
    """The pairs of a partition and what its container is open as, by which the run itself uses its drive.
    Raises Failed for a stranger."""
    return frozenset((one.device, one.opened) for one in plan.containers if opened_node(one) is not None)


def wants_secret(plan: Plan, done: frozenset[int]) -> bool:
    """Whether a run with these steps done cannot go on without the passphrase. Raises Failed as `opened_node`
    does."""
    opened = {
        step.operation.uuid
        for number, step in enumerate(plan.steps, 1)
        if number in done and isinstance(step.operation, OpenContainer)
    }
    return any(one.uuid not in opened or opened_node(one) is None for one in plan.containers)


def reopen(plan: Plan, done: frozenset[int], secret: bytes | None) -> None:
    """Open again what the run had opened, and see that what it encrypted before opens by this passphrase.
    Raises Refused where not."""
    operations = [step.operation for number, step in enumerate(plan.steps, 1) if number in done]
    made = {one.uuid for one in operations if isinstance(one, MakeContainer)}
    for operation in (
        OpenContainer(one.device, one.uuid, one.name) for one in plan.containers if one.uuid in made
    ):
        is_open = opened_node(_encryption(plan, operation.uuid)) is not None
        if secret is None:
            if not is_open:
                raise Refused(
                    t(
                        "{opened} was closed, and the passphrase is missing. Nothing more was written.",
                        opened=operation.opened,
                    )
                )
            continue
        if operation in operations and not is_open:
            argv = commands_of(operation)[0]
            said = run(argv, seconds=KEY_PATIENCE_SECONDS, stdin=secret, accept=(0, WRONG_PASSPHRASE))
            is_right = not said.status
        else:
            is_right = opens(operation.device, secret)
        if not is_right:
            raise Refused(
                t(
                    "The passphrase does not open {device}. Nothing more was written.",
                    device=operation.device,
                )
            )


def contain(operation: MakeContainer | OpenContainer | AddCrypttabLine, site: StepContext) -> Message:
    """Carry out one of the steps of an encrypted volume; a sentence on what came of it. Raises Failed."""
    match operation:
        case MakeContainer():
            return make_container(operation, site)
        case OpenContainer():
            return open_container(operation, site)
        case AddCrypttabLine():
            file = site.environment.crypttab
            return t(
                "{file} has the line: {line}",
                file=str(file),
                line=add_to_crypttab(file, operation, site.run_name),
            )


def make_container(operation: MakeContainer, site: StepContext) -> Message:
    """Make the container, again from the start where an earlier process did not get to its end; a sentence on
    it. Raises Failed."""
    for argv in commands_of(operation):
        site.command(argv, stdin=_secret(site))
    forget_caches(operation.device)
    demand(_header_checks(_encryption(site.plan, operation.uuid), site.plan, site.seconds))
    return t(
        "{device} is an encrypted container with UUID {uuid}; the data starts at the planned offset.",
        device=operation.device,
        uuid=operation.uuid,
    )


def open_container(operation: OpenContainer, site: StepContext) -> Message:
    """Open it, unless an earlier process of this run did; a sentence on it. Raises Failed."""
    encryption = _encryption(site.plan, operation.uuid)
    if opened_node(encryption) is None:
        for argv in commands_of(operation):
            if site.command(argv, stdin=_secret(site), accept=(0, WRONG_PASSPHRASE)).status:
                raise Failed(
                    t(
                        "The passphrase does not open {device}.",
                        device=operation.device,
                    )
                )
    elif not site.again:
        raise Failed(
            t(
                "{opened} existed before this run opened a container and was not touched.",
                opened=operation.opened,
            )
        )
    if missing := wait_for((operation.opened,)):
        raise Failed(NO_NODE(node=missing))
    opened_node(encryption)
    return t(
        "{opened} maps {device} alone.",
        opened=operation.opened,
        device=operation.device,
    )


def check_opened(plan: Plan, device: str) -> None:
    """Raises Failed where `device` is what one of the plan's containers is to be open as, and is not."""
    for one in plan.containers:
        if one.opened == device and opened_node(one) is None:
            raise Failed(t("{device} is not open.", device=device))


def keep_headers(plan: Plan, run_folder: Path) -> None:
    """Keep a copy of each container's header beside what the run keeps of its drives: while a drive is
    barred, that tells whether a passphrase is the right one. Raises Failed."""
    for one in plan.containers:
        file = _header_file(run_folder, one.uuid)
        file.unlink(missing_ok=True)
        argv = ("cryptsetup", "luksHeaderBackup", "--header-backup-file", str(file), one.device)
        run(argv, seconds=LOOK_SECONDS)


def write_header(run_folder: Path, uuid: str, header: bytes) -> None:
    """As `keep_headers`, of a container whose header was read by other means. Raises Failed."""
    try:
        write_durably(_header_file(run_folder, uuid), header, os.O_TRUNC)
    except OSError as error:
        raise Failed(
            t("Cannot write to {folder}: {why}.", folder=str(run_folder), why=str(error.strerror))
        ) from None


def check_passphrase(plan: Plan, run_folder: Path, secret: bytes) -> None:
    """Raises Refused where a container that a rehearsed run made, on its drives or not yet, does not open by
    this passphrase; what cannot be asked now shows when it is opened."""
    for one in plan.containers:
        kept = _header_file(run_folder, one.uuid)
        asked = kept if kept.exists() else Path(one.device)
        if asked.exists() and not opens(str(asked), secret):
            raise Refused(
                t(
                    "The passphrase does not open {device}. Nothing was written.",
                    device=one.device,
                )
            )


def _header_file(run_folder: Path, uuid: str) -> Path:
    return run_folder / FOLDER / f"header-{uuid}"


def opens(device: str, secret: bytes) -> bool:
    """Whether the passphrase opens a container, or the one whose header a file keeps; nothing is opened."""
    argv = ("cryptsetup", "open", "--test-passphrase", "--type", "luks2", PASSPHRASE_FROM, device)
    return not run(argv, seconds=KEY_PATIENCE_SECONDS, stdin=secret, accept=(0, WRONG_PASSPHRASE)).status


def close_containers(plan: Plan, journal: Journal) -> None:
    """Close what the run opened and does not use, so that a run that ends early leaves nothing open; what
    stays open is said."""
    used = {entry.source for entry in read_mounts()}
    for one in plan.containers:
        try:
            if opened_node(one) is None or one.opened in used or is_swap(TurnOnSwap(one.opened)):
                continue
            argv = ("cryptsetup", "close", one.name)
            run(argv, seconds=LOOK_SECONDS)
        except Failed as error:
            said = t("{opened} may still be open: {why}", opened=one.opened, why=reason_of(error))
            journal.add(Event.COMMAND, said)
        else:
            journal.add(
                Event.COMMAND,
                t("Closed {opened}, since the run ends here.", opened=one.opened),
                command=argv,
            )


def container_checks(plan: Plan, drives: Sequence[Drive], crypttab: str, seconds: float) -> Iterator[Check]:
    """What must hold of the plan's containers, by libblkid, by the header itself, by the kernel, and in the
    text of `crypttab`."""
    for one in plan.containers:
        yield from _header_checks(one, plan, seconds, drives)
        what = str(t("{opened} maps {device}", opened=one.opened, device=one.device))
        try:
            node = opened_node(one)
        except Failed as error:
            yield Check(what, False, str(error))
        else:
            seen = (
                t("{node}, on {device} alone", node=node, device=kernel_name(one.device))
                if node
                else t("not open")
            )
            yield Check(what, node is not None, str(seen))
    for step in plan.steps:
        if isinstance(step.operation, AddCrypttabLine):
            times = crypttab.splitlines().count(crypttab_line(step.operation))
            line = t("crypttab has exactly one line for {name}", name=step.operation.name)
            yield Check(str(line), times == 1, str(FOUND(times=times)))


def _header_checks(
    one: Encryption, plan: Plan, seconds: float, drives: Sequence[Drive] = ()
) -> Iterator[Check]:
    what = str(t("{device} is an encrypted container with the planned UUID", device=one.device))
    try:
        found = [
            (signature.kind, signature.uuid)
            for signature in signatures_on(one.device, plan, seconds, drives) or ()
        ]
        text = run(("cryptsetup", "luksDump", "--dump-json-metadata", one.device), seconds=seconds).output
        place = data_place(text)
    except Failed as error:
        yield Check(what, False, str(error))
        return
    seen = ", ".join(f"{printable(kind)} {printable(str(uuid))}" for kind, uuid in found)
    yield Check(what, found == [(KIND, one.uuid)], seen or str(t("no signature recognised")))
    off = misalignment_bytes(plan.drive.geometry, start_bytes(one.device) + place[0])
    offset, sector = place
    said = (
        tn(
            "offset {offset} bytes, misaligned by one byte, in sectors of {sector} bytes",
            "offset {offset} bytes, misaligned by {count} bytes, in sectors of {sector} bytes",
            count=off,
            offset=offset,
            sector=sector,
        )
        if off
        else t("offset {offset} bytes, aligned, in sectors of {sector} bytes", offset=offset, sector=sector)
    )
    data = t(
        "Data starts at offset {offset:exact}, aligned, in sectors of {sector} bytes",
        offset=one.offset_bytes,
        sector=one.sector_bytes,
    )
    yield Check(str(data), place == (one.offset_bytes, one.sector_bytes) and not off, str(said))


def data_place(text: str) -> tuple[int, int]:
    """Where the data begin and how much is encrypted at a stretch, in bytes, by a header that cryptsetup
    printed as JSON (LUKS2's on-disk format, segments). Raises Failed for anything else than one segment.
    Pure."""
    try:
        (segment,) = json.loads(text)["segments"].values()
        return int(segment["offset"]), int(segment["sector_size"])
    except (ValueError, KeyError, TypeError, AttributeError):
        raise Failed(t("cryptsetup output not understood: {said}", said=printable(text, 80))) from None


def _encryption(plan: Plan, uuid: str) -> Encryption:
    found = next((one for one in plan.containers if one.uuid == uuid), None)
    if found is None:
        raise Failed(t("The plan has no container with UUID {uuid}.", uuid=uuid))
    return found


def _secret(site: StepContext) -> bytes:
    if not site.secret:
        raise Failed(t("The passphrase is missing."))
    return site.secret
