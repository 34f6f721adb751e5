"""Propose better settings for an existing filesystem, and plan the changes of any request."""

from collections.abc import Iterable

from msgspec import Struct

from wizard.advice.catalogue import load_catalogue
from wizard.advice.existing import tuning_for
from wizard.advice.ranking import advise
from wizard.advice.workloads import find_workload
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.kinds import check_told
from wizard.apply.run.process import refused
from wizard.apply.settings import guard
from wizard.apply.settings.existing_filesystem import ExistingVolume, look_at_filesystem
from wizard.apply.settings.plan_settings import act, owner_change
from wizard.filesystems.registry import KINDS
from wizard.findings.diagnose import diagnose
from wizard.findings.geometry import load_patterns
from wizard.model.advice import Workload
from wizard.model.errors import BadInput, Refused
from wizard.model.layout import Writer
from wizard.model.requests import Tune, Wanted
from wizard.model.said import Message, t
from wizard.operations.operation import Setting
from wizard.plan.changes import Changes
from wizard.plan.settings import possible
from wizard.plan.settings.tuning import ROOT_ONLY, make_changes


class TuningProposal(Struct, frozen=True):
    """The workload, the existing filesystem, and the changes to the recommended settings."""

    workload: Workload
    used: ExistingVolume
    changes: Changes


def work_out(
    device: str, workload: str, environment: Environment, owner: Writer | None = None
) -> TuningProposal:
    """Inspect a filesystem and recommend settings. Raises BadInput if the workload or filesystem is unknown,
    or no recommendation exists."""
    profile = find_workload(workload)
    used = look_at_filesystem(device, environment)
    recording = diagnose(used.machine, used.drive, load_patterns()).recording
    advice = advise(used.machine, used.drive, recording, profile, size_bytes=used.size_bytes)
    choice = advice.choice(used.filesystem)
    if choice is None:
        title = KINDS[used.filesystem].title
        raise BadInput(possible.NOT_ADVISED(device=used.device, filesystem=title))
    tuning = tuning_for(used, used.drive, choice, load_catalogue(), root=profile.root)
    wanted = Tune(profile.workload.id, owner)
    owned: Iterable[Setting | Message] = ()
    if owner is not None:
        if not used.mounts:
            raise refused(possible.NOT_MOUNTED(device=used.device))
        owned = owner_change(used, used.mounts[-1].mount_point, used.mounts[-1].filesystem, owner)
    changes = make_changes(used.identity, used, wanted, tuning, owned)
    guard.check_options(changes)
    return TuningProposal(profile.workload, used, guard.unambiguous(changes))


def changes_for(device: str, wanted: Wanted, environment: Environment) -> Changes:
    """Plan the changes for a request. Raises as `act` and `work_out` do, and Refused if no setting would
    improve the filesystem."""
    if not isinstance(wanted, Tune):
        return act(device, wanted, environment)
    changes = work_out(device, wanted.workload, environment, wanted.owner).changes
    if not changes.steps:
        raise Refused(
            t("No known change would suit {device} better for this workload.", device=changes.device)
        )
    return changes


def check_explained(changes: Changes, environment: Environment) -> None:
    """Raises Refused if the changes or their explanations differ from those planned now; BadInput if planning
    fails."""
    if not isinstance(changes.wanted, Tune):
        now = act(changes.device, changes.wanted, environment)
        if _distinct_parts(now) != _distinct_parts(changes):
            raise refused(t("These changes differ from the ones required now."))
        return
    now = work_out(changes.device, changes.wanted.workload, environment, changes.wanted.owner).changes
    again = f"diskwright tune {changes.device} --workload {changes.wanted.workload}"
    check_told(now.reasons, changes.reasons, again)
    # A document made without root may include the warning that only root can read everything.
    check_told((*now.doubts, ROOT_ONLY), (*changes.doubts, ROOT_ONLY), again)


def _distinct_parts(changes: Changes) -> tuple[object, ...]:
    """Return the parts of a document that do not follow from others."""
    return (tuple(step.operation for step in changes.steps), changes.doubts, changes.reasons)
