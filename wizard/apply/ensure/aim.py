"""What is wanted of the drives that are meant, as plans: the one that would lead there, and the one that says
what is right."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import uuid4

from wizard.apply.ensure.layered import layers_of
from wizard.apply.ensure.using import Where, mounted_as_there
from wizard.apply.steps.arrays import taken_arrays
from wizard.apply.system.places import fixed_fstab, taken_places, usual_places
from wizard.apply.tune.left_at_boot import with_lines_left
from wizard.layout.ensured.differences import as_it_is, emptied, with_makers
from wizard.layout.ensured.document import requests_of, stripe_of
from wizard.layout.planner import Mode
from wizard.layout.requested import plan_requested, plan_striped
from wizard.layout.several.striped import StripeWish
from wizard.layout.wishes.using import Usual
from wizard.layout.wishes.wish import Arrangement, Request
from wizard.model.documents.ensure import WantedDrive
from wizard.model.errors import DiskwrightError
from wizard.model.machine import Drive, Layer, Machine
from wizard.model.plan import Plan
from wizard.probe.host.people import caller


@dataclass(frozen=True, slots=True)
class Aim:
    """An entry of the document, and the drives that it means, in its order."""

    wanted: WantedDrive
    machine: Machine
    drives: tuple[Drive, ...]
    where: Where

    @property
    def requests(self) -> tuple[Request, ...]:
        """Its volumes."""
        return requests_of(self.wanted)

    @property
    def stripe(self) -> StripeWish | None:
        """How several drives are put together; None for one."""
        return stripe_of(self.wanted)

    def planned(self, mode: Mode | None) -> Plan:
        """The plan that leads there from what the drives hold. Raises as the planner does."""
        made = self._plan(self.machine, self.drives, self.requests, mode)
        return with_lines_left(made, self.drives, self.where.environment)

    def ideal(self) -> Plan:
        """The plan that the drives would get if they were blank, with what is there where nothing else is
        said. Raises as the planner does."""
        layers = self._layers()
        try:
            return self._if_blank(as_it_is(self.requests, self.drives[0], layers), layers)
        except DiskwrightError:
            # What is there cannot be what is wanted, such as an ext4 where a system starts from.
            return self._if_blank(self.requests, layers)

    def _layers(self) -> tuple[Layer | None, ...]:
        """What there is for each volume, where that is to lie on no partition: a logical volume is known by
        its name, which only a plan has."""
        if not self.wanted.lvm and (self.stripe is None or self.stripe.kind == "btrfs"):
            return ()
        return layers_of(self._if_blank(self.requests), self.drives)

    def _if_blank(self, asked: Sequence[Request], layers: Sequence[Layer | None] = ()) -> Plan:
        there = mounted_as_there(asked, self.drives, self.where, layers)
        return self._plan(with_makers(self.machine), tuple(map(emptied, self.drives)), there, None)

    def _plan(
        self, machine: Machine, drives: Sequence[Drive], requests: Sequence[Request], mode: Mode | None
    ) -> Plan:
        usual, danger = _usual(self.where), self.wanted.danger
        if (stripe := self.stripe) is not None:
            (asked,) = requests
            nodes = (*taken_arrays(), *self.where.given)
            return plan_striped(machine, drives, asked, stripe, mode, _draw, usual, danger, nodes)
        arrangement = Arrangement(self.wanted.table, grouped=self.wanted.lvm)
        return plan_requested(machine, drives[0], requests, mode, _draw, usual, danger, arrangement)


def _usual(where: Where) -> Usual:
    places, fstab = usual_places(), where.environment.fstab
    return Usual(caller(), places, taken_places(places, fstab) | where.given, fixed_fstab(fstab))


def _draw() -> str:
    return str(uuid4())
