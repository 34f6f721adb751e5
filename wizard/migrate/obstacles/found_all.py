"""What stands against a migration, or is good to know before it: each a finding with its remedy."""

from collections.abc import Mapping

from wizard.migrate.obstacles.around import at_boot, boot_path, folders, nothing_to_do, own_fstab, room_inside
from wizard.migrate.obstacles.inside_it import in_use, its_kind, its_state, programs
from wizard.migrate.situation import Situation
from wizard.migrate.words.make import NOTHING_WRITTEN
from wizard.model.documents.migration import Way
from wizard.model.errors import BadInput, DiskwrightError, Refused
from wizard.model.finding import Finding, Severity

RULES = (
    in_use,
    its_state,
    its_kind,
    programs,
    room_inside,
    folders,
    boot_path,
    at_boot,
    own_fstab,
    nothing_to_do,
)

WRITING = frozenset({Way.LIGHT, Way.FULL})
TOUCHING = frozenset({*WRITING, Way.FRESH})

BARS: Mapping[str, frozenset[Way]] = {
    "migrate-running-root": TOUCHING,
    "migrate-mounted": TOUCHING,
    "migrate-swap-file": TOUCHING,
    "migrate-opened": TOUCHING,
    "migrate-barred": frozenset(Way),
    "migrate-cut-off": TOUCHING,
    "migrate-counts": TOUCHING,
    "migrate-half-done": TOUCHING,
    "migrate-errors": TOUCHING,
    "migrate-damaged": TOUCHING,
    "migrate-journal-pending": frozenset({Way.FRESH}),
    "migrate-external-journal": WRITING,
    "migrate-unknown-features": WRITING,
    "migrate-first-revision": WRITING,
    "migrate-programs-missing": WRITING,
    "migrate-programs-old": WRITING,
    "migrate-no-room-journal": WRITING,
    "migrate-full": frozenset({Way.FULL}),
    "migrate-folder": WRITING,
    "migrate-no-folder": WRITING,
    "migrate-target": frozenset({Way.FRESH}),
    "migrate-nothing-at-boot": frozenset({Way.MOUNT}),
    "migrate-light-complete": frozenset({Way.LIGHT}),
    "migrate-complete": frozenset({Way.FULL}),
}
"""Which ways a finding stands against. Every other one is only good to know."""

REPAIRABLE = frozenset({"migrate-errors", "migrate-damaged", "migrate-half-done"})
"""What no longer stands against a way that writes once the person agreed to repairs."""


def obstacles_of(situation: Situation) -> tuple[Finding, ...]:
    """Everything that is found, what stands against most first."""
    found = [finding for rule in RULES for finding in rule(situation)]
    order = list(Severity)
    return tuple(sorted(found, key=lambda finding: order.index(finding.severity)))


def against(situation: Situation, way: Way, *, repairs: bool = False) -> Finding | None:
    """The first finding that stands against a way; None where it can be had."""
    for finding in obstacles_of(situation):
        if way in BARS.get(finding.code, frozenset()) and not (
            repairs and way in WRITING and finding.code in REPAIRABLE
        ):
            return finding
    return None


def refusal(finding: Finding) -> DiskwrightError:
    """The error that says so: a refusal for safety, or that the way does not fit this filesystem."""
    said = f"{finding.sentence} {finding.remedy} {NOTHING_WRITTEN}"
    return Refused(said) if finding.severity is Severity.DANGER else BadInput(said)
