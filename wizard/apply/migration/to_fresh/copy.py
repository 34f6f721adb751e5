"""A migration to a fresh filesystem: the old one is only read, so there is nothing of it to be taken back or
kept."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from wizard.apply.block.ext_superblock import facts_on
from wizard.apply.manifest.differences import differences
from wizard.apply.manifest.manifest import AFTER, BEFORE
from wizard.apply.migration.steps import MigratingSite, OnGround
from wizard.apply.migration.to_fresh.fresh import Fresh, copy_files, is_made, make_fresh
from wizard.apply.run.journal import done_steps, read_entries
from wizard.apply.run.progress import noting
from wizard.migrate.steps import proof
from wizard.migrate.words.steps import SOUND
from wizard.model.documents.migration import CopyFiles, MakeFresh, Migration
from wizard.model.errors import Failed, Refused
from wizard.model.journal import Check
from wizard.model.said import Said, joined, t


def made_of(migration: Migration) -> MakeFresh:
    """The operation that makes the fresh filesystem of a migration that has one."""
    return next(step.operation for step in migration.steps if isinstance(step.operation, MakeFresh))


@dataclass(frozen=True, slots=True)
class Copying:
    """A run that makes a fresh filesystem and copies everything into it."""

    site: MigratingSite

    def release(self) -> None:
        """Nothing is left on the old filesystem, which is only read."""

    def prepare(self) -> None:
        """Nothing comes before."""

    def is_done(self, step: int) -> bool:
        """Whether a step is done by the journal."""
        return step in done_steps(read_entries(self.site.run))

    def make(self, operation: OnGround, step: int) -> str:
        """Make the filesystem, or copy into it; a sentence. A copy that was cut off is begun anew. Raises
        Failed."""
        site = replace(self.site, step=step)
        migration = site.migration
        made = next(each for each in migration.steps if isinstance(each.operation, MakeFresh))
        fresh = Fresh(made_of(migration), made.commands, migration.device, site.command, site.run)
        match operation:
            case MakeFresh():
                return make_fresh(fresh)
            case CopyFiles():
                return copy_files(fresh, on_progress=noting(site.run, step))
            case _:
                raise Failed(
                    t(
                        "Step {step} would write to {device}, which is only read.",
                        step=step,
                        device=migration.device,
                    )
                )

    def checks(self) -> Iterator[Check]:
        """What is to hold of the fresh filesystem and of the old one. Raises Failed or BadInput where
        something cannot be read."""
        site = self.site
        migration, make = site.migration, made_of(site.migration)
        for step in migration.steps:
            what = " ".join(step.holds)
            if isinstance(step.operation, MakeFresh):
                yield Check(what, is_made(make), f"UUID {facts_on(make.target).uuid}")
            if isinstance(step.operation, CopyFiles):
                found = differences(site.run / BEFORE, site.run / AFTER, inode_numbers=False)
                yield Check(what, not found, joined(found) or str(t("the manifests of both are the same")))
        looked = site.command(proof(make.target), accept=range(256))
        yield Check(
            str(SOUND),
            looked.status == 0,
            looked.last_words
            if looked.status
            else str(t("{program} ended with status {status}", program="e2fsck", status=looked.status)),
        )
        same = facts_on(migration.device) == migration.before
        seen = t("its superblock says what it said") if same else t("its superblock changed during the copy")
        yield Check(str(t("{device} was only read.", device=migration.device)), same, str(seen))

    def commit(self) -> str:
        """It was made where it stays."""
        return ""

    def check_resumable(self) -> None:
        """What was begun is begun anew, and only on what this migration made."""

    def check_kept(self) -> None:
        """Nothing is kept."""

    def check_untouched(self) -> None:
        """The old one is only read, so that nobody else's change to it matters."""

    def take_back(self) -> str:
        """There is no way, and no need; raises Refused."""
        raise Refused(no_way_back(self.site.migration))

    def drop(self) -> str:
        """There is nothing to keep; raises Refused."""
        raise Refused(nothing_to_keep(self.site.migration))


def no_way_back(migration: Migration) -> Said:
    """Why a copy is not taken back."""
    target = made_of(migration).target
    command = " ".join(("wipefs", "--all", target))
    return t(
        "There is nothing to undo: {device} was only read, and {target} held nothing "
        "before. `{command}` empties it again.",
        device=migration.device,
        target=target,
        command=command,
    )


def nothing_to_keep(migration: Migration) -> Said:
    """Why there is nothing to be kept of a copy."""
    return t(
        "There is nothing to keep: {device} was only read, and the copy on {target} stays as it is.",
        device=migration.device,
        target=made_of(migration).target,
    )


def copied(migration: Migration) -> Said:
    """How a run that did everything ends, in sentences."""
    make = made_of(migration)
    return t(
        "{target} is an ext4 with everything that {device} holds; every check holds. "
        "{device} was only read. Mount the new one by UUID={uuid} where the old one "
        "was.",
        target=make.target,
        device=migration.device,
        uuid=make.uuid,
    )
