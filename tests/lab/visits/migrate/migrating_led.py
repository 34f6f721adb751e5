"""Job: the wizard converts an old filesystem to ext4 as a transaction: by keys on the kernel's text
console to the end of the run, and undone; then in the plain wizard, and kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.lab.drives.fleet import KIB, Fleet
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import digest_of, keep_runs_at, node_of, shown, tool
from tests.lab.guest.screen import Console
from tests.lab.visits.migrate.migrations import FSTAB, OLD, PLACE, STORE, is_ext4, mount_at_boot, prepare_rest
from tests.lab.visits.migrate.transactions import make_old
from tests.lab.visits.screens.console import WHAT, ends, flat, is_read, look
from wizard.host.services import Services
from wizard.model.errors import ExitCode
from wizard.model.run import Check
from wizard.ui.screens.review import ENOUGH

LED_FLEET = Fleet("migration-led", (OLD, STORE))
KEEPS = Path("/kept")
POWER = "would be unchanged."


def by_keys(fleet: Fleet) -> Iterator[Check]:
    """Convert on the text console, and undo."""
    node = _prepared(fleet)
    before = digest_of(node)
    with Console() as console:
        yield from _to_the_end(console, node)
        yield from is_ext4(node)
        console.press("U", then="Undo the changes to")
        yield from look(console, "ext4-undo")
        console.press("y", then=lambda: "match bit for bit" in flat(console))
        yield from look(console, "ext4-undone", 5)
        console.press("enter", then=lambda: is_read(console, node))
        console.press("q")
        yield ends(console, ExitCode.DONE)
    yield Check("undo restores every byte", digest_of(node) == before, "")
    yield Check("undo restores fstab", " ext3 " in FSTAB.read_text(), FSTAB.read_text())


def by_questions(fleet: Fleet) -> Iterator[Check]:
    """Convert again in the plain wizard."""
    # Imported late: Textual loads slowly in a guest.
    from tests import walks

    node = node_of(fleet[OLD.name])
    code, told = walks.to_ext4_by_questions(Services(only=(node,)), OLD.serial)
    said = " ".join(told.split())
    yield Check(
        "plain: the conversion succeeds and is kept",
        code is ExitCode.DONE and "Deleted the undo data" in said,
        told[-1500:],
    )
    yield Check("plain: the outcome of a power cut is explained", POWER in said, told[-3000:])
    mounted = tool("findmnt", "-n", "-o", "SOURCE,FSTYPE", str(PLACE)).split()
    yield Check("plain: ext4 is mounted", mounted == [node, "ext4"], shown(mounted))


def _prepared(fleet: Fleet) -> str:
    """Prepare a machine with its runs on another filesystem, as usual."""
    node = node_of(fleet[OLD.name])
    prepare_rest(node_of(fleet[STORE.name]), KEEPS)
    keep_runs_at(KEEPS)
    make_old(node, KIB)
    mount_at_boot(node)
    return node


def _to_the_end(console: Console, node: str) -> Iterator[Check]:
    console.until(lambda: is_read(console, node))
    console.press("m", then="> Everything")
    yield from look(console, "ext4-ways", 3)
    console.press("enter", then=WHAT)
    yield Check("the wizard announces no data loss", "Nothing is lost." in console.text, console.text)
    end = OLD.serial[-ENOUGH:]
    console.press(f"={end}", then=f"[{end}")
    yield from look(console, "ext4-review", 4)
    console.press("enter")
    console.until(lambda: POWER in flat(console), rest=False)
    yield from look(console, "ext4-work", 5)
    console.until("Next")
    yield from look(console, "ext4-result", 5)


JOBS = {"migration-by-keys": by_keys, "migration-by-questions": by_questions}
VISITS = (
    Visit(
        "wizard on a text console: ext3 to ext4, and undo",
        LED_FLEET,
        ("migration-by-keys",),
        900,
        udev=False,
        screen=True,
        full_only=True,
    ),
    Visit(
        "wizard on a text console and in plain mode: ext3 to ext4",
        LED_FLEET,
        tuple(JOBS),
        1800,
        udev=True,
        screen=True,
        full_only=True,
    ),
)
