"""A migration to ext4 as something that can be begun."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.desk.jobs.job import Job, Outcome
from wizard.desk.view import Banner, Block, Text, Tone
from wizard.migrate.told.ways import confirm_command, how_sentences, power_words, risk_sentences
from wizard.model.documents.migration import Means, Migration
from wizard.model.said import t

if TYPE_CHECKING:
    from wizard.apply.run.journal import RunState
    from wizard.model.identity import Identity
    from wizard.model.journal import Entry
    from wizard.services.contract import Services


class MigrationJob(Job):
    """Leads an ext2 or ext3 filesystem to ext4; every file stays."""

    def __init__(self, migration: Migration) -> None:
        self.migration = migration
        self.title = t("{device} to ext4", device=migration.device)

    @property
    def drives(self) -> tuple[Identity, ...]:
        """The one that is written."""
        return (self.migration.written,)

    def risk(self, services: Services) -> Text:
        """Undo files can be useless after a power cut."""
        return (
            t("Every file stays, if the power does not fail. Have a backup.")
            if self.migration.means is Means.DIRECT
            else ""
        )

    def ways_back(self, services: Services) -> tuple[Text, ...]:
        """How it is made safe, and what may happen."""
        return (*how_sentences(self.migration), *risk_sentences(self.migration))

    @property
    def doubts(self) -> tuple[Text, ...]:
        """The migration's."""
        return self.migration.doubts

    @property
    def sentences(self) -> tuple[Text, ...]:
        """Its steps."""
        return tuple(step.sentence for step in self.migration.steps)

    @property
    def seconds(self) -> tuple[float, ...]:
        """By their estimates."""
        return tuple(max(1.0, step.seconds) for step in self.migration.steps)

    def commands(self, services: Services) -> tuple[Block, ...]:
        """As they will be run, on the snapshot or the device."""
        from wizard.desk.asides.pages import command_blocks

        return command_blocks(self.migration.steps)

    def document(self) -> tuple[str, str]:
        """For `diskwright apply`."""
        from wizard.migrate.document import render_migration

        return render_migration(self.migration), f"{Path(self.migration.device).name}-to-ext4.json"

    def command(self, services: Services, file: str) -> str:
        """With the drive's token."""
        return confirm_command(self.migration, file)

    def start(self, services: Services, tokens: Sequence[str], secret: bytes | None) -> Path:
        """Every step, or none."""
        return services.begin(self.migration, tokens[0])

    def power(self, services: Services, run: Path, working: int | None, begun: bool) -> Text:
        """By the step at work, or the transaction's own word."""
        return power_words(self.migration, working, services.power(run), begun=begun)

    def outcome(self, services: Services, run: Path, state: RunState, entries: Sequence[Entry]) -> Outcome:
        """How the filesystem is, and whether it was used since."""
        from wizard.apply.migration.moved import decision_of, moved_sentence
        from wizard.apply.run.decision import Settling
        from wizard.apply.words import NOT_YET

        used = services.closed(run)
        decision = decision_of(self.migration, state, entries, closed=bool(used))
        said = moved_sentence(state)
        waits = not used and decision.of(Settling.KEEP) is not None
        first, detail = (NOT_YET, (said,)) if waits else (said, ())
        tone = Tone.GOOD if state.value in ("done", "kept", "undone") else Tone.WARN
        more = (used,) if used else ()
        return Outcome(Banner(first, detail, Tone.WARN if used else tone), more, decision)
