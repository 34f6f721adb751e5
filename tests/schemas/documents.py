"""Every document that the program writes, and the schema of each."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from tests.schemas.machine import machine
from tests.schemas.shapes import JSON, Shapes
from wizard.advise.catalogue import CatalogueOption, OnKernel
from wizard.advise.glossary import Term
from wizard.apply.bring.steps import record as bring_record
from wizard.apply.engine import record as engine_record
from wizard.apply.migration.on_device import record as direct_record
from wizard.apply.move import noted
from wizard.apply.run import runs
from wizard.apply.run.progress import StepProgress
from wizard.apply.transaction import snapshotted
from wizard.documents import notice
from wizard.documents.sealed import Sealed
from wizard.faces.looking import advise, glossary, options, workloads
from wizard.faces.planning import migrate
from wizard.faces.runs import status
from wizard.faces.showing import inspection
from wizard.layout.bring.document import BRINGS
from wizard.layout.changes.changes_document import CHANGES
from wizard.layout.document import PLANS
from wizard.layout.moving.document import MOVES
from wizard.migrate.carried_document import CARRIED
from wizard.migrate.document import MIGRATIONS
from wizard.model.advice import Advice, Workload
from wizard.model.displaced import DisplacedVerdict
from wizard.model.documents import ensure as wanted
from wizard.model.documents.migration import Prospect
from wizard.model.journal import Entry
from wizard.model.notice import Notice
from wizard.model.verdict import CliffVerdict, Verdict
from wizard.probe import facts
from wizard.report import run_document
from wizard.report.nouns import Report
from wizard.trial import document as trial_document
from wizard.trial.candidates import document as candidates_document
from wizard.trial.candidates.result import TrialVerdict

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Document:
    """A kind of document: its schema's name, as diskwright.plan/2, what it is, and where it comes from.

    Without `derived` it leaves out what follows from the rest; where it `grows`, older ones lack what was
    added since.
    """

    name: str
    title: str
    comes_from: str
    body: Callable[[Shapes], JSON]
    derived: bool = True
    grows: bool = False

    @property
    def file(self) -> str:
        """What its schema is called in docs/schemas/."""
        return f"{self.name.removeprefix('diskwright.').replace('/', '-')}.json"

    @property
    def schema(self) -> JSON:
        """The whole JSON Schema. It is named without a host: nothing is to be fetched from anywhere."""
        shapes = Shapes(derived=self.derived, grows=self.grows)
        body = self.body(shapes)
        noun, _, version = self.name.removeprefix("diskwright.").partition("/")
        head = {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": f"urn:diskwright:{noun}:{version}",
            "title": self.title,
        }
        return {**head, **body, "$defs": dict(sorted(shapes.defs.items()))}


def _of(name: str, kind: type, title: str, comes_from: str, *, grows: bool = False) -> Document:
    """One that is a dataclass, with the name of its schema."""
    return Document(name, title, comes_from, lambda shapes: shapes.record(kind, **_head(name)), grows=grows)


def _list_of(name: str, kind: type, key: str, title: str, comes_from: str) -> Document:
    """One that lists dataclasses."""

    def body(shapes: Shapes) -> JSON:
        return Shapes.table({**_head(name), key: {"type": "array", "items": shapes.of(kind)}})

    return Document(name, title, comes_from, body)


def _sealed(sealed: Sealed[T], title: str, comes_from: str) -> Document:
    """One that is applied: a digest seals it, and what follows from the rest is left out."""
    digest: JSON = {
        "description": "SHA-256 over everything but schema and digest, in hexadecimal digits.",
        "type": "string",
        "pattern": "^[0-9a-f]{64}$",
    }
    name, kind = sealed.schema, sealed.kind
    return Document(
        name,
        title,
        comes_from,
        lambda shapes: shapes.record(kind, **_head(name), digest=digest),
        derived=False,
    )


def _shown(sealed: Sealed[T], title: str) -> Document:
    noun, _, version = sealed.schema.partition("/")
    says = f"{title}, with all that follows from it, to be read by programs and never applied"
    return _of(f"{noun}-shown/{version}", sealed.kind, says, "`show --json`")


def _head(name: str) -> dict[str, JSON]:
    return {"schema": {"const": name}}


def _options(shapes: Shapes) -> JSON:
    option = shapes.record(CatalogueOption, kernel=shapes.of(OnKernel))
    return Shapes.table(
        {
            **_head(options.SCHEMA),
            "kernel": {"description": "The kernel's release.", "type": "string"},
            "options": {"type": "array", "items": option},
        }
    )


def _machine(shapes: Shapes) -> JSON:
    body = machine(shapes)
    return Shapes.table({**_head(inspection.SCHEMA), **body["properties"]})


def _entry(shapes: Shapes) -> JSON:
    """What was said stands there as a sentence's code and values, or else as text."""
    body = shapes.record(Entry)
    body["required"].remove("sentence")
    return {**body, "oneOf": [{"required": ["said"]}, {"required": ["sentence"]}]}


RUN = "a run's folder"

DOCUMENTS = (
    Document(
        inspection.SCHEMA,
        "The drives of a machine, and what is concluded of them",
        "`inspect --json`",
        _machine,
    ),
    _of(facts.SCHEMA, facts.RawMachine, "What was read of a machine", "`inspect --save`", grows=True),
    _of(advise.SCHEMA, Advice, "Which filesystems suit a drive and a purpose", "`advise --json`"),
    _list_of(workloads.SCHEMA, Workload, "workloads", "The purposes that advice knows", "`workloads --json`"),
    _list_of(glossary.SCHEMA, Term, "terms", "What words mean", "`glossary --json`"),
    Document(options.SCHEMA, "The options of mkfs, mount and tune2fs", "`options --json`", _options),
    _sealed(PLANS, "A plan", "`plan`"),
    _shown(PLANS, "A plan"),
    _sealed(
        CHANGES,
        "Changes to filesystems",
        "`tune`, `label`, `mount`, `unmount`, `remount`, `grow`, `power-off`",
    ),
    _shown(CHANGES, "Changes to filesystems"),
    _of(migrate.PROSPECT_SCHEMA, Prospect, "The ways from ext2 or ext3 to ext4", "`migrate --json`"),
    _sealed(MIGRATIONS, "A migration in place", "`migrate --way`"),
    _shown(MIGRATIONS, "A migration in place"),
    _sealed(
        CARRIED, "A way to ext4, for where the filesystem is not in use", "`migrate --way` of one in use"
    ),
    _sealed(MOVES, "Moves of partitions", "`move`"),
    _shown(MOVES, "Moves of partitions"),
    _sealed(BRINGS, "What is copied to a volume", "`bring`"),
    _shown(BRINGS, "What is copied to a volume"),
    _of(
        wanted.SCHEMA,
        wanted.WantedDrives,
        "What is wanted of drives, as TOML",
        "you, for `ensure`",
        grows=True,
    ),
    _of(
        wanted.ENSURED_SCHEMA, wanted.Ensured, "What came of the drives that a file wants", "`ensure --json`"
    ),
    _of(trial_document.SCHEMA, Verdict, "What misaligned access costs", "`bench --json`"),
    _of(trial_document.CLIFF_SCHEMA, CliffVerdict, "A drive's write cliff", "`bench --shingled --json`"),
    _of(
        trial_document.DISPLACED_SCHEMA,
        DisplacedVerdict,
        "Whether writes are displaced",
        "`bench --shingled --quick --json`",
    ),
    _of(candidates_document.SCHEMA, TrialVerdict, "Filesystems that were tried", "`trial --json`"),
    _list_of(status.SCHEMA, status.Row, "runs", "What was applied, and how it ended", "`status --json`"),
    _of(run_document.SCHEMA, Report, "Everything about a run or a plan", "`report --json`"),
    Document("diskwright.journal-entry/1", "A line of a run's journal.jsonl", RUN, _entry),
    Document(
        "diskwright.progress/1",
        "progress.json: how far a run's present step is",
        RUN,
        lambda shapes: shapes.record(StepProgress),
    ),
    _of(runs.SCHEMA, runs.Settings, "run.json: what a run is to use when it is taken up again", RUN),
    _of(runs.DRIVES_SCHEMA, runs.Drives, "drives.json: the drives of a run, by their names now", RUN),
    _of(engine_record.SCHEMA, engine_record.Record, "rehearsed.json: where a rehearsed run stands", RUN),
    _of(
        snapshotted.SCHEMA, snapshotted.Snapshotted, "snapshot.json: a filesystem that is put back whole", RUN
    ),
    _of(direct_record.SCHEMA, direct_record.Record, "direct.json: what a migration in place keeps", RUN),
    _of(noted.SCHEMA, noted.Notes, "moved.json: what a run noted of each of its moves", RUN),
    _of(bring_record.SCHEMA, bring_record.Copied, "copied.json: how far a copy is", RUN),
    _of(bring_record.AGAIN_SCHEMA, bring_record.Again, "again.json: what changed while it was copied", RUN),
    _of(notice.SCHEMA, Notice, "What a drive that waits says of itself", "the drive"),
)
"""In the order in which their list has them."""
