"""Results of benchmarks in documents, by kind."""

from typing import TypeVar

from wizard.benchmark.results import BenchmarkResult, read_any

T = TypeVar("T", bound=BenchmarkResult)


def read_verdict(text: str, where: str, kind: type[T]) -> T:
    found = read_any(text, where)
    assert isinstance(found, kind)
    return found
