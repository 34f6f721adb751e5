"""Documents with the results of all benchmarks, with every measured time."""

from wizard.benchmark.candidates.compare import TrialVerdict
from wizard.documents import codec
from wizard.model.verdict import CliffVerdict, DisplacedVerdict, Verdict

BenchmarkResult = Verdict | CliffVerdict | DisplacedVerdict | TrialVerdict

SCHEMAS: dict[type[BenchmarkResult], str] = {
    Verdict: "diskwright.verdict/1",
    CliffVerdict: "diskwright.cliff/1",
    DisplacedVerdict: "diskwright.displaced/1",
    TrialVerdict: "diskwright.trial/1",
}


def render_verdict(verdict: BenchmarkResult) -> str:
    """Return a result as JSON text."""
    return codec.render_document(SCHEMAS[type(verdict)], verdict)


def read_any(text: str, where: str) -> BenchmarkResult:
    """Parse any benchmark's result. Raises BadInput naming `where`."""
    kinds = (kind for kind, schema in SCHEMAS.items() if f'"{schema}"' in text[:200])
    kind = next(kinds, Verdict)
    return codec.parse_document(text, SCHEMAS[kind], kind, where)
