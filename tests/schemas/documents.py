"""Every document written by the program, with its schema."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar, cast

from msgspec import Struct

from tests.schemas.machine import machine
from tests.schemas.shapes import JSON, Shapes
from wizard.advice.catalogue import CatalogueOption, OnKernel
from wizard.advice.evidence import Term
from wizard.apply.conversion import commit as conversion
from wizard.apply.copy import copied as copy_record
from wizard.apply.engine import record as engine_record
from wizard.apply.move import content as move_notes
from wizard.apply.run import runs
from wizard.apply.run.progress_log import StepProgress
from wizard.benchmark.candidates.compare import TrialVerdict
from wizard.benchmark.results import SCHEMAS
from wizard.cli import changes, inspect, lists, plan, status
from wizard.documents import profiles
from wizard.documents.codec import Sealed
from wizard.ext4.document import MIGRATIONS
from wizard.model import ensure as wanted
from wizard.model.advice import Advice, Workload
from wizard.model.finding import Notice
from wizard.model.run import JournalEntry
from wizard.model.verdict import CliffVerdict, DisplacedVerdict, Verdict
from wizard.plan.changes import SETTINGS, Prospect
from wizard.plan.copy import BRINGS
from wizard.plan.documents import PLANS
from wizard.plan.partition.moves import MOVES
from wizard.probe import facts
from wizard.report import gather
from wizard.report.gather import Report

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Document:
    """A kind of document: the schema's name, such as diskwright.plan/2, its meaning and its origin.

    Without `derived`, derived values are omitted. If it `grows`, older documents lack later additions.
    """

    name: str
    title: str
    comes_from: str
    body: Callable[[Shapes], JSON]
    derived: bool = True
    grows: bool = False

    @property
    def file(self) -> str:
        """Name of the file in docs/schemas/."""
        return f"{self.name.removeprefix('diskwright.').replace('/', '-')}.json"

    @property
    def schema(self) -> JSON:
        """Return the JSON Schema. Its id has no host, because nothing is fetched."""
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
    """Return a document of a dataclass, with the name of its schema."""
    return Document(name, title, comes_from, lambda shapes: shapes.record(kind, **_head(name)), grows=grows)


def _list_of(name: str, kind: type, key: str, title: str, comes_from: str) -> Document:
    """Return a document with a list of dataclasses."""

    def body(shapes: Shapes) -> JSON:
        return Shapes.table({**_head(name), key: {"type": "array", "items": shapes.of(kind)}})

    return Document(name, title, comes_from, body)


def _sealed(sealed: Sealed[T], title: str, comes_from: str) -> Document:
    """Return a document for `apply`: sealed by a digest, without derived values."""
    digest: JSON = {
        "description": "SHA-256 over everything but schema and digest, in hexadecimal digits.",
        "type": "string",
        "pattern": "^[0-9a-f]{64}$",
    }
    name, kind = sealed.schema, cast(type[Struct], sealed.kind)
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
            **_head(lists.OPTIONS_SCHEMA),
            "kernel": {"description": "The kernel's release.", "type": "string"},
            "options": {"type": "array", "items": option},
        }
    )


def _machine(shapes: Shapes) -> JSON:
    body = machine(shapes)
    return Shapes.table({**_head(inspect.SCHEMA), **body["properties"]})


def _entry(shapes: Shapes) -> JSON:
    """Return a journal entry, whose message is a key with values, or text."""
    body = shapes.record(JournalEntry)
    body["required"].remove("sentence")
    return {**body, "oneOf": [{"required": ["said"]}, {"required": ["sentence"]}]}


RUN = "a run's folder"

DOCUMENTS = (
    Document(
        inspect.SCHEMA,
        "The drives of a machine, and what is concluded of them",
        "`inspect --json`",
        _machine,
    ),
    _of(facts.SCHEMA, facts.RawMachine, "What was read of a machine", "`inspect --save`", grows=True),
    _of(plan.ADVICE_SCHEMA, Advice, "Which filesystems suit a drive and a purpose", "`advise --json`"),
    _list_of(
        lists.WORKLOADS_SCHEMA, Workload, "workloads", "The purposes that advice knows", "`workloads --json`"
    ),
    _list_of(lists.GLOSSARY_SCHEMA, Term, "terms", "What words mean", "`glossary --json`"),
    Document(lists.OPTIONS_SCHEMA, "The options of mkfs, mount and tune2fs", "`options --json`", _options),
    _sealed(PLANS, "A plan", "`plan`"),
    _shown(PLANS, "A plan"),
    _sealed(
        SETTINGS,
        "Changes to filesystems",
        "`tune`, `label`, `mount`, `unmount`, `remount`, `grow`, `power-off`, `release`",
    ),
    _shown(SETTINGS, "Changes to filesystems"),
    _of(changes.PROSPECT_SCHEMA, Prospect, "The ways from ext2 or ext3 to ext4", "`migrate --json`"),
    _sealed(MIGRATIONS, "A migration in place", "`migrate --way`"),
    _shown(MIGRATIONS, "A migration in place"),
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
    _of(SCHEMAS[Verdict], Verdict, "What misaligned access costs", "`bench --json`"),
    _of(SCHEMAS[CliffVerdict], CliffVerdict, "A drive's write cliff", "`bench --shingled --json`"),
    _of(
        SCHEMAS[DisplacedVerdict],
        DisplacedVerdict,
        "Whether writes are displaced",
        "`bench --shingled --quick --json`",
    ),
    _of(SCHEMAS[TrialVerdict], TrialVerdict, "Filesystems that were tried", "`trial --json`"),
    _list_of(status.SCHEMA, status.RunRow, "runs", "What was applied, and how it ended", "`status --json`"),
    _of(gather.SCHEMA, Report, "Everything about a run or a plan", "`report --json`"),
    Document("diskwright.journal-entry/1", "A line of a run's journal.jsonl", RUN, _entry),
    Document(
        "diskwright.progress/1",
        "progress.json: how far a run's present step is",
        RUN,
        lambda shapes: shapes.record(StepProgress),
    ),
    _of(runs.SCHEMA, runs.Settings, "run.json: what a run is to use when it is taken up again", RUN),
    _of(runs.DRIVES_SCHEMA, runs.RunDrives, "drives.json: the drives of a run, by their names now", RUN),
    _of(engine_record.SCHEMA, engine_record.Record, "rehearsed.json: where a rehearsed run stands", RUN),
    _of(
        conversion.SCHEMA,
        conversion.ConvertedFilesystem,
        "filesystem.json: a filesystem before and after its conversion",
        RUN,
    ),
    _of(move_notes.SCHEMA, move_notes.Notes, "moved.json: what a run noted of each of its moves", RUN),
    _of(copy_record.SCHEMA, copy_record.Copied, "copied.json: how far a copy is", RUN),
    _of(profiles.SCHEMA, Notice, "What a drive that waits says of itself", "the drive"),
)
"""In the order in which their list has them."""
