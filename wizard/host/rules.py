"""Services that need no disk, shared by the live and the recorded machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from wizard.host.session import OpenRun, PartChange
from wizard.model.errors import BadInput, Refused
from wizard.model.machine import Drive, Kernel, Machine, Partition
from wizard.model.said import t

if TYPE_CHECKING:
    from wizard.advice.catalogue import OptionSite
    from wizard.advice.missing import Missing
    from wizard.advice.request import Offered, Taken
    from wizard.advice.workloads import Profile
    from wizard.apply.run_control import NextCommands
    from wizard.findings.geometry import Pattern
    from wizard.model.advice import Advice, Choice
    from wizard.model.changes import Changes
    from wizard.model.finding import Diagnosis, Recording
    from wizard.model.operations import Writer
    from wizard.model.plan import Plan
    from wizard.model.said import Message
    from wizard.model.verdict import DisplacedVerdict
    from wizard.plan.planner import Mode
    from wizard.plan.raid.striped import StripeWish
    from wizard.plan.request.using import Usual
    from wizard.plan.request.volume_request import Arrangement, Wish

# Packages are imported inside methods, so the first list of drives appears before they are loaded.


class Rules:
    """Services that need no disk."""

    demo = False

    def __init__(self, draw_uuid: Callable[[], str] = lambda: str(uuid4())) -> None:
        self._draw_uuid = draw_uuid
        self._tests: dict[object, DisplacedVerdict] = {}

    @property
    def obstacle(self) -> str:
        """Empty unless a subclass has an obstacle."""
        return ""

    @property
    def apply_obstacle(self) -> str:
        """Same as `obstacle` unless overridden."""
        return self.obstacle

    @property
    def asks_for_root(self) -> bool:
        """False unless overridden by a live machine."""
        return False

    def obtain_root(self) -> None:
        """Do nothing unless overridden."""

    def install_offer(self, missing: Missing) -> str:
        """Raises Refused unless overridden by a live machine."""
        raise Refused(f"{missing.said} {self.obstacle}".rstrip())

    def install(self, missing: Missing, on_line: Callable[[str], None]) -> None:
        """Raises Refused unless overridden by a live machine."""
        self.install_offer(missing)

    @cached_property
    def _patterns(self) -> tuple[Pattern, ...]:
        from wizard.findings.geometry import load_patterns

        return load_patterns()

    @cached_property
    def _profiles(self) -> tuple[Profile, ...]:
        from wizard.advice.workloads import load_workloads

        return load_workloads()

    def diagnose(self, machine: Machine | None, drive: Drive) -> Diagnosis:
        """See `Services.diagnose`."""
        from wizard.apply.remedies import diagnose

        known_machine = machine or Machine(Kernel(os.uname().release), (drive,), root=os.geteuid() == 0)
        return diagnose(known_machine, drive, self._patterns, self.quick_tested(drive))

    def quick_test_obstacle(self, drive: Drive) -> str:
        """Return the refusal of the test itself."""
        from wizard.benchmark.smr_run import quick_test_obstacle

        return quick_test_obstacle(drive, self._patterns)

    def quick_tested(self, drive: Drive) -> DisplacedVerdict | None:
        """See `Services.quick_tested`. Results are lost when the wizard exits."""
        return self._tests.get(_attachment_key(drive))

    def remember_test(self, drive: Drive, verdict: DisplacedVerdict) -> DisplacedVerdict:
        """Store a quick test result, and return it."""
        self._tests[_attachment_key(drive)] = verdict
        return verdict

    def profiles(self) -> tuple[Profile, ...]:
        """See `Services.profiles`."""
        return self._profiles

    def advise(
        self,
        machine: Machine,
        drive: Drive,
        recording: Recording,
        workload: str,
        size_bytes: int | None = None,
    ) -> Advice:
        """See `Services.advise`."""
        from wizard.advice.ranking import advise

        return advise(machine, drive, recording, self._profile(workload), size_bytes=size_bytes)

    def _profile(self, workload: str) -> Profile:
        from wizard.advice.workloads import find_workload

        return next(
            (known for known in self._profiles if known.workload.id == workload), None
        ) or find_workload(workload)

    def offered_options(
        self, machine: Machine, drive: Drive, recording: Recording, workload: str, choice: Choice
    ) -> tuple[Offered, ...]:
        """See `Services.offered_options`."""
        from wizard.advice.catalogue import load_catalogue
        from wizard.advice.request import offered

        return offered(choice, self._site(machine, drive, recording, workload), load_catalogue())

    def take_options(
        self,
        machine: Machine,
        drive: Drive,
        recording: Recording,
        workload: str,
        choice: Choice,
        names: Sequence[str],
        phrases: Sequence[str],
    ) -> Taken:
        """See `Services.take_options`."""
        from wizard.advice.catalogue import load_catalogue
        from wizard.advice.request import take_options

        return take_options(
            choice,
            names,
            phrases,
            self._site(machine, drive, recording, workload),
            load_catalogue(),
            workload,
        )

    def _site(self, machine: Machine, drive: Drive, recording: Recording, workload: str) -> OptionSite:
        from wizard.advice.ranking import site_of

        return site_of(machine, drive, recording, self._profile(workload), None)

    def volume_choices(
        self, machine: Machine, drive: Drive, recording: Recording, workload: str, role: str
    ) -> tuple[Choice, ...]:
        """See `Services.volume_choices`."""
        from wizard.plan.request.roles import usual_bytes
        from wizard.plan.request.wanted import advice_in_role

        advice = self.advise(machine, drive, recording, workload, usual_bytes(role, machine.memory_bytes))
        return advice_in_role(advice, role).choices

    def in_role(self, machine: Machine, drive: Drive, recording: Recording, wish: Wish, role: str) -> Wish:
        """See `Services.in_role`."""
        from wizard.plan.request.roles import ROLES
        from wizard.plan.request.wanted import in_role

        workload = ROLES[role].workload if role in ROLES else wish.workload.id
        choices = self.volume_choices(machine, drive, recording, workload, role)
        return in_role(wish, role, choices, self._profile(workload).workload, machine.memory_bytes)

    def desktop(self, machine: Machine, drive: Drive, recording: Recording, mode: Mode) -> tuple[Wish, ...]:
        """See `Services.desktop`."""
        from wizard.plan.planner import Mode
        from wizard.plan.request.wanted import desktop_requests, room_for_preset, wish_of

        room = room_for_preset(drive, keep=mode is Mode.USE_FREE)
        return tuple(
            wish_of(machine, drive, recording, asked)
            for asked in desktop_requests(room, machine.memory_bytes)
        )

    def plan(
        self,
        machine: Machine,
        drive: Drive,
        wishes: tuple[Wish, ...],
        mode: Mode | None,
        arrangement: Arrangement | None = None,
    ) -> Plan:
        """See `Services.plan`."""
        from wizard.plan.planner import PLAIN, make_plan

        recording = self.diagnose(machine, drive).recording
        plan = make_plan(machine, drive, wishes, mode, self._draw_uuid, arrangement or PLAIN, recording)
        return self._with_boot_entries(plan, (drive,))

    def plan_part(
        self,
        machine: Machine,
        drive: Drive,
        part: Partition,
        change: PartChange,
        wishes: tuple[Wish, ...] = (),
        size_bytes: int = 0,
    ) -> Plan:
        """See `Services.plan_part`."""
        from wizard.plan.partition.replace import delete_plan, format_plan, grow_plan, shrink_plan

        recording = self.diagnose(machine, drive).recording
        match change:
            case PartChange.FORMAT:
                plan = format_plan(machine, drive, part, wishes, self._draw_uuid, recording)
                return self._with_boot_entries(plan, (drive,))
            case PartChange.DELETE:
                return self._with_boot_entries(delete_plan(machine, drive, part, recording), (drive,))
            case PartChange.GROW:
                return grow_plan(machine, drive, part, recording, size_bytes or None)
            case PartChange.SHRINK:
                return shrink_plan(machine, drive, part, size_bytes, recording)

    def ready(self, changes: Changes) -> tuple[Message, ...]:
        """Return no messages unless overridden by a live machine."""
        return ()

    def free_bytes(self, place: str) -> int | None:
        """Return None unless overridden by a live machine."""
        return None

    def open_runs(self) -> tuple[OpenRun, ...]:
        """Return no runs unless overridden by a live machine."""
        return ()

    def next_commands(self, run: Path) -> NextCommands | None:
        """Return None unless overridden by a live machine."""
        return None

    def wants_secret(self, run: Path) -> bool:
        """Return False unless overridden by a live machine."""
        return False

    def writes_over(self, run: Path) -> bool:
        """Return False unless overridden by a live machine."""
        return False

    def plan_striped(
        self, machine: Machine, drives: Sequence[Drive], wish: Wish, asked: StripeWish, mode: Mode | None
    ) -> Plan:
        """See `Services.plan_striped`."""
        from wizard.plan.raid.striped import make_striped_plan

        recordings = [self.diagnose(machine, drive).recording for drive in drives]
        plan = make_striped_plan(
            machine, drives, wish, asked, mode, self._draw_uuid, recordings, self._arrays()
        )
        return self._with_boot_entries(plan, drives)

    def _arrays(self) -> Sequence[str]:
        """Return existing md arrays, on a live machine."""
        return ()

    def _with_boot_entries(self, plan: Plan, drives: Sequence[Drive]) -> Plan:
        """Add the plan's effects on fstab and crypttab, on a live machine."""
        return plan

    def put_to_use(self, drive: Drive, wish: Wish, others: Sequence[Wish] = ()) -> Wish:
        """See `Services.put_to_use`."""
        from wizard.plan.request.using import put_to_use

        return put_to_use(wish, drive, self.usual(), others)

    def usual(self) -> Usual:
        """Return no defaults: users and mount points of another machine are unknown."""
        from wizard.plan.request.using import Usual

        return Usual()

    def options_at_boot(self, drive: Drive, device: str) -> tuple[str, ...] | None:
        """Return None: the fstab of another machine is unknown."""
        return None

    def writer_named(self, text: str) -> Writer:
        """Accept only everyone and root: accounts of another machine are unknown."""
        from wizard.model.operations import EVERYONE, ROOT

        known = {writer.kind: writer for writer in (EVERYONE, ROOT)}
        if text not in known:
            raise BadInput(t("Cannot look up {name} on a recorded machine. Use everyone or root.", name=text))
        return known[text]

    def scratch_obstacle(self, drive: Drive) -> str:
        """Return the refusal of the write benchmark itself."""
        from wizard.benchmark.scratch import scratch_extents

        try:
            scratch_extents(drive)
        except Refused as error:
            return str(error)
        return ""

    def impediment(self, drive: Drive) -> str:
        """Return the refusal of the planner itself."""
        from wizard.plan.refusals import refuse_drive

        try:
            refuse_drive(drive)
        except Refused as error:
            return str(error)
        return ""


def _attachment_key(drive: Drive) -> object:
    """Return a key that changes when the drive is replaced or reattached."""
    return drive.path, drive.diskseq, drive.serial, drive.wwn, drive.size_bytes
