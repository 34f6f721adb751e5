"""Published figures: one file a study, each measurement a card that carries the study's date, kernel and
hardware."""

from dataclasses import dataclass
from pathlib import Path

from wizard.advise.reading import Place, gather
from wizard.advise.words.profiles import NO_FIGURE, STUDY
from wizard.model.advice import Evidence
from wizard.model.said import NO_TEXT, ProfileText, Said, in_a_row


@dataclass(frozen=True, slots=True)
class Study:
    """What holds for all measurements of a file. `note` says what is odd about the whole study."""

    title: ProfileText
    source: ProfileText
    era: ProfileText
    kernel: ProfileText
    hardware: ProfileText
    note: ProfileText = NO_TEXT


@dataclass(frozen=True, slots=True)
class Measurement:
    """One row of a study's table. `figures` pairs a filesystem or configuration with its number; what a study
    left out stays out.

    `kernel` and `hardware` replace the study's where it measured on several machines.
    """

    id: str
    title: ProfileText
    unit: ProfileText
    lower_is_better: bool
    figures: tuple[tuple[str, float], ...]
    note: ProfileText = NO_TEXT
    era: ProfileText = NO_TEXT
    kernel: ProfileText = NO_TEXT
    hardware: ProfileText = NO_TEXT


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
    notes: list[Said] = [note for note in (row.note, study.note) if note]
    return Evidence(
        id=row.id,
        title=row.title,
        source=STUDY(title=study.title, source=study.source),
        era=row.era or study.era,
        kernel=row.kernel or study.kernel,
        hardware=row.hardware or study.hardware,
        unit=row.unit,
        lower_is_better=row.lower_is_better,
        figures=row.figures,
        note=in_a_row(*notes) if notes else "",
    )
