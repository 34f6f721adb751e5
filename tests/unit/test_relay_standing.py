"""What root's end tells of a run beside its journal: how far it is, and what a power cut would leave."""

import io
import json
from pathlib import Path
from shutil import copyfile

from wizard.apply.engine.record import Phase, Record, power_sentence, save_record
from wizard.apply.root.protocol import Answer, Say
from wizard.apply.root.server import Relay
from wizard.apply.run.journal import Journal, RunState
from wizard.apply.run.progress import StepProgress, note_progress
from wizard.apply.run.runs import Kind
from wizard.documents.codec import from_json
from wizard.model.journal import Event


def test_how_it_stands_is_told_before_what_happened_and_once(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    for sentence in ("The first.", "The second."):
        journal.add(Event.SAVED, sentence)
    journal.close()
    note_progress(tmp_path, StepProgress(1, 0.25, 40.0))
    copyfile(Path(__file__).parents[1] / "looks/recorded_moving/migration.json", tmp_path / Kind.MIGRATION)
    save_record(tmp_path, Record(Phase.REPLACING, waits=False))
    pipe = io.BytesIO()
    relay = Relay(io.BytesIO(), pipe)
    relay._tell_run(tmp_path)
    told = [from_json(json.loads(line), Answer, "root") for line in pipe.getvalue().splitlines()]
    assert [answer.say for answer in told] == [Say.BEGAN, Say.STANDS, Say.ENTRY, Say.ENTRY, Say.ENDED]
    assert told[1].progress == StepProgress(1, 0.25, 40.0) and told[1].sentence == power_sentence(
        Phase.REPLACING, "/dev/loop6"
    )
    assert told[-1].state is RunState.INTERRUPTED
