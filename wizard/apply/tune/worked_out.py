"""What would suit a filesystem better for a purpose, worked out from how it is found now: to be shown, and to
be compared with."""

from dataclasses import dataclass

from wizard.advise.advise import advise
from wizard.advise.catalogue import load_catalogue
from wizard.advise.existing import Tuning, tuning_for
from wizard.advise.workloads import find_workload
from wizard.apply.run.environment import Environment
from wizard.apply.run.told import check_told
from wizard.apply.run.words import NOTHING_WRITTEN
from wizard.apply.tune.acting import act
from wizard.apply.tune.existing_filesystem import InUse, look_at_filesystem
from wizard.diagnose.diagnose import diagnose
from wizard.diagnose.patterns import load_patterns
from wizard.filesystems.registry import KINDS
from wizard.layout.changes import words
from wizard.layout.changes.tuning import ROOT_ONLY, make_changes
from wizard.model.advice import Workload
from wizard.model.documents.changes import Changes, Tune, Wanted
from wizard.model.errors import BadInput, Refused
from wizard.model.names import printable
from wizard.model.said import t

ASKED_ANEW = t("These are not the changes that it would take now.")


@dataclass(frozen=True, slots=True)
class WorkedOut:
    """The purpose, the filesystem as it is found, what would suit it better, and the changes that bring it
    there."""

    workload: Workload
    used: InUse
    tuning: Tuning
    changes: Changes


def work_out(device: str, workload: str, environment: Environment) -> WorkedOut:
    """Look, and advise. Raises BadInput where there is no such purpose or filesystem, or nothing is advised
    for it."""
    profile = find_workload(workload)
    used = look_at_filesystem(device, environment)
    drive, existing = used.drive, used.existing
    recording = diagnose(used.machine, drive, load_patterns()).recording
    advice = advise(used.machine, drive, recording, profile, size_bytes=existing.size_bytes)
    choice = advice.choice(existing.filesystem)
    if choice is None:
        kind = KINDS.get(existing.filesystem)
        title = kind.title if kind else printable(existing.filesystem, 30)
        raise BadInput(words.NOT_ADVISED(device=existing.device, filesystem=title))
    tuning = tuning_for(existing, drive, choice, load_catalogue(), root=profile.root)
    changes = make_changes(used.identity, existing, used.uuid, profile.workload.id, tuning, used.found)
    return WorkedOut(profile.workload, used, tuning, changes)


def changes_for(device: str, wanted: Wanted, environment: Environment) -> Changes:
    """The changes that bring about whatever is wanted; raises as `act` and `work_out` do, and Refused where
    nothing would suit the filesystem better."""
    if not isinstance(wanted, Tune):
        return act(device, wanted, environment)
    changes = work_out(device, wanted.workload, environment).changes
    if not changes.steps:
        raise Refused(
            t("Nothing that is known would suit {device} better for this purpose.", device=changes.device)
        )
    return changes


def check_explained(changes: Changes, environment: Environment) -> None:
    """Raises Refused where changes are not those that an action takes now, or explain themselves otherwise
    than what suits a purpose is worked out now; BadInput where none can be."""
    if not isinstance(changes.wanted, Tune):
        now = act(changes.device, changes.wanted, environment)
        if _what_is_told(now) != _what_is_told(changes):
            raise Refused(f"{ASKED_ANEW} {NOTHING_WRITTEN}")
        return
    now = work_out(changes.device, changes.wanted.workload, environment).changes
    again = f"diskwright tune {changes.device} --workload {changes.wanted.workload}"
    check_told(now.reasons, changes.reasons, again)
    # Who made them without root's rights was told of what only root can read.
    check_told((*now.doubts, ROOT_ONLY), (*changes.doubts, ROOT_ONLY), again)


def _what_is_told(changes: Changes) -> tuple[object, ...]:
    """All that does not follow from what else is in a document."""
    return (tuple(step.operation for step in changes.steps), changes.doubts, changes.reasons)
