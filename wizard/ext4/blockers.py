"""Conversion blockers: which findings prevent which conversion."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from wizard.ext4.assessment import Situation
from wizard.ext4.filesystem_findings import in_use, kind_findings, programs, state_findings
from wizard.ext4.system_findings import (
    at_boot,
    boot_path,
    nothing_to_do,
    own_fstab,
    room_inside,
    scratch_copy,
)
from wizard.model.errors import BadInput, DiskwrightError, Refused
from wizard.model.finding import Finding, FindingCommand, Severity
from wizard.model.said import t
from wizard.plan.conversion import Way

NOTHING_WRITTEN = t("Nothing was written.")


RULES = (
    in_use,
    state_findings,
    kind_findings,
    programs,
    room_inside,
    scratch_copy,
    boot_path,
    at_boot,
    own_fstab,
    nothing_to_do,
)

WRITING = frozenset(way for way in Way if way.converts)
BLOCKED_METHODS: Mapping[str, frozenset[Way]] = {
    "migrate-barred": frozenset(Way),
    "migrate-programs-missing": WRITING,
    "migrate-programs-old": WRITING,
    "migrate-full": frozenset({Way.FULL}),
    "migrate-nothing-at-boot": frozenset({Way.MOUNT}),
    "migrate-light-complete": frozenset({Way.LIGHT}),
    "migrate-complete": frozenset({Way.FULL}),
}
"""Conversion methods that a finding blocks. Other dangers block all that write to the filesystem."""

REPAIRABLE = frozenset({"migrate-errors", "migrate-damaged", "migrate-half-done"})
"""Findings that no longer block a writing method once the user consents to repairs."""


def obstacles_of(situation: Situation) -> tuple[Finding, ...]:
    """Return all findings with their possible commands, most severe first."""
    said = [finding for rule in RULES for finding in rule(situation)]
    found = [
        replace(
            one,
            subject=situation.device,
            commands=tuple(each for each in one.commands if _is_possible(situation, each, said)),
        )
        for one in said
    ]
    order = list(Severity)
    return tuple(sorted(found, key=lambda finding: order.index(finding.severity)))


def against(situation: Situation, way: Way, *, repairs: bool = False) -> Finding | None:
    """Return the first finding that blocks a method, or None."""
    found = obstacles_of(situation)
    return next((one for one in found if _blocks(one, way, repairs=repairs)), None)


def _blocks(finding: Finding, way: Way, *, repairs: bool) -> bool:
    danger = WRITING if finding.severity is Severity.DANGER else frozenset()
    return way in BLOCKED_METHODS.get(finding.code, danger) and not (repairs and finding.code in REPAIRABLE)


def _is_possible(situation: Situation, command: FindingCommand, found: Sequence[Finding]) -> bool:
    """Return False for a conversion that another finding blocks, for a missing tool, and for a device in
    use."""
    match command.argv:
        case ("diskwright", "migrate", _, "--way", way, *options):
            return not any(_blocks(one, Way(way), repairs="--repair" in options) for one in found)
        case (program, *_):
            in_use = situation.mounts or situation.opened or situation.is_root
            return program not in situation.missing and not (command.unused and in_use)
    return False


def refusal(finding: Finding) -> DiskwrightError:
    """Return the error for a finding: Refused for safety, or BadInput if the method does not suit the
    filesystem."""
    message = f"{finding.sentence} {finding.advice} {NOTHING_WRITTEN}"
    return Refused(message) if finding.severity is Severity.DANGER else BadInput(message)
