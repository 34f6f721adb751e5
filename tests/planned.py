"""Plans for requests as a person writes them."""

from collections.abc import Callable, Sequence

from wizard.findings.diagnose import diagnose
from wizard.findings.geometry import load_patterns
from wizard.model.ensure import WantedVolume
from wizard.model.machine import Drive, Machine
from wizard.plan.plan import Plan
from wizard.plan.planner import make_plan, new_uuid
from wizard.plan.request.plan_request import Request
from wizard.plan.request.using import NO_USUAL, Usual
from wizard.plan.request.wanted import with_volumes


def plan_requested(
    machine: Machine,
    drives: Sequence[Drive],
    request: Request,
    volumes: Sequence[WantedVolume] = (),
    usual: Usual = NO_USUAL,
    phrases: Sequence[str] = (),
    draw_uuid: Callable[[], str] = new_uuid,
    arrays: Sequence[str] = (),
) -> Plan:
    request = with_volumes(machine, drives, request, volumes, usual, phrases)
    recordings = [diagnose(machine, drive, load_patterns()).recording for drive in drives]
    return make_plan(machine, drives, request, draw_uuid, recordings, arrays)
