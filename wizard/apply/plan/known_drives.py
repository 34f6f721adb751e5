"""The drives of a run that is taken up again: known by their numbers, and by what the run left on them, since
docks give one serial number to any drive."""

from collections.abc import Set
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from wizard.apply.engine.checks import COMPLETE
from wizard.apply.engine.record import GOING_BACK, load_record
from wizard.apply.plan import drive_digests
from wizard.apply.plan.same_drive import drive_fault, find_drive, probe_members
from wizard.apply.plan.traces import shows_run
from wizard.apply.plan.words import drives as words
from wizard.apply.run.runs import called
from wizard.model.errors import Refused
from wizard.model.identity import Identity
from wizard.model.machine import Drive
from wizard.model.names import printable
from wizard.model.plan import Member, Plan
from wizard.model.said import Said, Sentence, t


@dataclass(frozen=True, slots=True)
class KnownDrives:
    """The drives of a run whose steps `begun` were begun, by number from 1; `undoing` says that putting back
    was begun too."""

    run: Path
    plan: Plan
    begun: frozenset[int]
    undoing: bool = False

    def probe(self, back: Set[str] = frozenset()) -> tuple[Drive, ...]:
        """The drives as they are now; those that are `back` may hold anything. Raises Refused where one is
        another."""
        drives = probe_members(self.plan, self.where)
        for member, drive in zip(self.plan.members, drives, strict=True):
            if drive.path in back:
                continue
            if drive_fault(member.drive, drive, partial(self._is_left_there, member, drive)):
                where = self.where(member.drive, None)
                raise Refused(words.MAYBE_ANOTHER(drive=drive.path, run=self.run.name, where=where))
        return drives

    def where(self, identity: Identity, resized: Drive | None) -> Said:
        """Where one of the drives is now that is not where it was, in a sentence; what to do if it is there
        and has another size."""
        run = self.run.name
        if resized is not None:
            return t(
                "Nothing of the run {run} is lost: give the drive its {bytes} bytes back, "
                "and say {commands}.",
                run=run,
                bytes=identity.size_bytes,
                commands=self._commands,
            )
        member = next(member for member in self.plan.members if member.drive == identity)
        path, known = find_drive(identity, partial(self._is_the_one, member)), printable(identity.path)
        if path is None:
            return t(
                "The drive of the run {run} is not attached by another name either: attach it again.", run=run
            )
        return t(
            "The drive of the run {run} is {now} now, and nothing of the run is lost. "
            "Detach it and whatever is {known}. Attach it again so that it is {known}, "
            "and say {commands}.",
            run=run,
            now=printable(path),
            known=known,
            commands=self._commands,
        )

    @property
    def _commands(self) -> Said:
        """The commands that go on then, as they are said."""
        record = load_record(self.run)
        if self.undoing or (record is not None and record.phase in GOING_BACK):
            by = Sentence("`diskwright undo {run}`")
        elif record is not None and record.phase in COMPLETE:
            by = Sentence("`diskwright keep {run}` or `diskwright undo {run}`")
        else:
            by = Sentence("`diskwright resume {run}`")
        return by(run=called(self.run))

    def _is_left_there(self, member: Member, drive: Drive, *, whole: bool = False) -> bool | None:
        number = self.plan.members.index(member)
        found = shows_run(self.run, self.plan, number, drive, whole=whole)
        if found is not None:
            return found
        run, begun, undoing = self.run, self.begun, self.undoing
        return drive_digests.is_left_on(run, self.plan, member, drive.path, begun, undoing=undoing) or None

    def _is_the_one(self, member: Member, drive: Drive) -> bool:
        left = partial(self._is_left_there, member, drive, whole=True)
        return drive_fault(member.drive, drive, left) is None
