"""Published figures: one file a study, each measurement a card that carries the study's date, kernel and
hardware."""

from dataclasses import dataclass
from pathlib import Path

from wizard.advise.reading import Place, gather
from wizard.advise.words.profiles import NO_FIGURE
from wizard.model.advice import Evidence


@dataclass(frozen=True, slots=True)
class Study:
    """What holds for all measurements of a file. `note` says what is odd about the whole study."""

    title: str
    source: str
    era: str
    kernel: str
    hardware: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Measurement:
    """One row of a study's table. `figures` pairs a filesystem or configuration with its number; what a study
    left out stays out.

    `kernel` and `hardware` replace the study's where it measured on several machines.
    """

    id: str
    title: str
    unit: str
    lower_is_better: bool
    figures: tuple[tuple[str, float], ...]
    note: str = ""
    era: str = ""
    kernel: str = ""
    hardware: str = ""


@dataclass(frozen=True, slots=True)
class EvidenceFile:
    """A file in profiles/evidence."""

    study: Study
    measurements: tuple[Measurement, ...]


def load_evidence() -> dict[str, Evidence]:
    """Every measurement by id; raises BadInput naming file, line and key."""
    places = gather("evidence", EvidenceFile, _entries, lambda evidence: evidence.id)
    for place in places.values():
        if not place.entry.figures:
            raise place.fault("figures", NO_FIGURE())
    return {name: place.entry for name, place in places.items()}


def _entries(path: Path, form: EvidenceFile) -> list[Place[Evidence]]:
    return [
        Place(path, f"measurements[{index}]", _card(form.study, row))
        for index, row in enumerate(form.measurements)
    ]


def _card(study: Study, row: Measurement) -> Evidence:
    return Evidence(
        id=row.id,
        title=row.title,
        source=f"{study.title}: {study.source}",
        era=row.era or study.era,
        kernel=row.kernel or study.kernel,
        hardware=row.hardware or study.hardware,
        unit=row.unit,
        lower_is_better=row.lower_is_better,
        figures=row.figures,
        note=" ".join(part for part in (row.note, study.note) if part),
    )
