"""The third step: the copy is read back from the drive, and compared with what it is to be."""

from pathlib import Path

from wizard.apply.block.devices import forget_caches
from wizard.apply.bring.places import shown
from wizard.apply.bring.site import BringSite
from wizard.apply.bring.steps.copying import heeding
from wizard.apply.bring.steps.record import RESULT, load_again, load_copied
from wizard.apply.manifest.differences import differences
from wizard.apply.manifest.held import as_held
from wizard.apply.manifest.manifest import AFTER, Reading, take_manifest
from wizard.apply.manifest.mount_read_only import seen_alone
from wizard.apply.run.progress import noting
from wizard.model.errors import Failed
from wizard.model.said import Said, in_a_row, t

STEP = 3


def compare(site: BringSite) -> tuple[Said, int]:
    """Read it and compare; a sentence, and how many entries that were. Raises Failed where something is not
    the same, naming it."""
    copied, again, to = load_copied(site.run), load_again(site.run), site.bring.target
    assert copied is not None, "the first step is done"
    # What was written has to come from the drive again, not from memory.
    size_bytes = site.bring.amount.size_bytes
    site.sync()
    forget_caches(to.device)
    with seen_alone(Path(to.folder)) as top:
        taken = take_manifest(
            top,
            site.run / AFTER,
            on_progress=heeding(site.run, noting(site.run, STEP, size_bytes=size_bytes)),
            reading=Reading(cold=True, only=copied.top),
            total_bytes=size_bytes,
        )
    unsteady = frozenset(path.encode(errors="surrogateescape") for path in again.unsteady)
    found = differences(
        site.run / RESULT, site.run / AFTER, inode_numbers=False, seen_as=as_held(site.holds, unsteady)
    )
    if found:
        raise Failed(in_a_row(t("The copy in {folder} is not the same:", folder=shown(to.folder)), *found))
    # The top is on the list, too.
    count = taken.entries - 1
    return t(
        "{entries:,d} entries were read back from the drive, and are the same as in {source}.",
        entries=count,
        source=shown(site.bring.source.path),
    ), count
