"""Plan an entry of the document for the current drives, and for blank ones. Read-only."""

from collections.abc import Sequence

from msgspec.structs import replace

from wizard.apply.ensure.compare_mounts import Where, mounted_as_there
from wizard.apply.ensure.layers import layers_of
from wizard.apply.settings.existing_filesystem import with_lines_left
from wizard.apply.steps.arrays import taken_arrays
from wizard.apply.system import mounts
from wizard.filesystems.registry import MADE
from wizard.findings.diagnose import diagnose
from wizard.findings.geometry import load_patterns
from wizard.model.ensure import WantedDrive, WantedVolume
from wizard.model.errors import DiskwrightError, FrozenStruct
from wizard.model.layout import Stripe
from wizard.model.machine import Drive, Layer, Machine
from wizard.plan.desired_state import differences
from wizard.plan.desired_state.document import stripe_of
from wizard.plan.plan import Plan
from wizard.plan.planner import make_plan
from wizard.plan.request import plan_request
from wizard.plan.request.wanted import with_volumes


class DriveTarget(FrozenStruct):
    """An entry of the document and the drives, in order."""

    wanted: WantedDrive
    machine: Machine
    drives: tuple[Drive, ...]
    where: Where

    @property
    def stripe(self) -> Stripe | None:
        """The requested layout across several drives, or None for one drive."""
        return stripe_of(self.wanted)

    def planned(self, mode: plan_request.Mode | None) -> Plan:
        """Plan the request on the current drives. Raises as the planner does."""
        environment = self.where.environment
        made = self._plan(self.machine, self.drives, self.wanted.volume, mode)
        return with_lines_left(made, self.drives, environment).with_current_texts(environment.fstab)

    def ideal(self) -> Plan:
        """Plan the request on blank drives, with unspecified values as they are on the drives. Raises as the
        planner does."""
        layers: tuple[Layer | None, ...] = ()
        if self.wanted.lvm or (self.stripe and self.stripe.kind != "btrfs"):
            # The names of logical volumes come from a plan.
            layers = layers_of(self._if_blank(self.wanted.volume), self.drives)
        try:
            return self._if_blank(differences.as_it_is(self.wanted.volume, self.drives[0], layers), layers)
        except DiskwrightError:
            # The existing values are not possible for the request, such as ext4 where a system boots from.
            return self._if_blank(self.wanted.volume, layers)

    def _if_blank(self, asked: Sequence[WantedVolume], layers: Sequence[Layer | None] = ()) -> Plan:
        completed = mounted_as_there(asked, self.drives, self.where.environment, layers)
        # Existing filesystems need no mkfs programs.
        makers = {program for kind in MADE.values() for program in kind.makers}
        missing = [(program, "") for program in sorted(makers) if not self.machine.has_tool(program)]
        machine = replace(self.machine, tools=(*self.machine.tools, *missing))
        return self._plan(machine, tuple(map(differences.emptied, self.drives)), completed, None)

    def _plan(
        self,
        machine: Machine,
        drives: Sequence[Drive],
        requests: Sequence[WantedVolume],
        mode: plan_request.Mode | None,
    ) -> Plan:
        how = plan_request.Arrangement(self.wanted.table, self.wanted.lvm, self.stripe)
        nodes = (*taken_arrays(), *self.where.given) if self.stripe else ()
        usual = mounts.usual_here(self.where.environment.fstab)
        usual = replace(usual, taken={*usual.taken, *self.where.given})
        empty = plan_request.NewVolumes((), mode, how)
        request = with_volumes(machine, drives, empty, requests, usual, self.wanted.danger)
        recordings = [diagnose(machine, drive, load_patterns()).recording for drive in drives]
        return make_plan(machine, drives, request, recordings=recordings, arrays=nodes)
