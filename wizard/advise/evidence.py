"""Published figures: one file a study, each measurement a card that carries the study's date, kernel and
hardware."""

from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from wizard.advise.reading import Place, gather
from wizard.filesystems.registry import KINDS
from wizard.model.advice import Evidence
from wizard.model.said import NO_TEXT, ProfileText, Said, in_a_row, t, tn

NO_FIGURE = t("there is no figure; a measurement without one proves nothing.")

TOPICS = {"alignment": "alignment-", "recording-shingled": "shingled-"}
"""How a finding's code begins, and how the ids of the measurements on the same matter do."""


@dataclass(frozen=True, slots=True)
class Study:
    """What holds for all measurements of a file. `note` says what is odd about the whole study.

    `repeats` is how many runs each figure is the mean of, where the study tells that and not each run.
    `like_for_like` is false where the filesystems were not measured under the same conditions.
    """

    title: ProfileText
    source: ProfileText
    era: ProfileText
    kernel: ProfileText
    hardware: ProfileText
    note: ProfileText = NO_TEXT
    repeats: int = 1
    like_for_like: bool = True


@dataclass(frozen=True, slots=True)
class Measurement:
    """One row of a study's table. `figures` pairs a filesystem or configuration with its number; what a study
    left out stays out. `runs` stands in its place where each run is known.

    `kernel` and `hardware` replace the study's where it measured on several machines.
    """

    id: str
    title: ProfileText
    unit: ProfileText
    lower_is_better: bool
    figures: tuple[tuple[str, float], ...] = ()
    runs: tuple[tuple[str, tuple[float, ...]], ...] = ()
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
            raise place.fault("figures", NO_FIGURE)
    return {name: place.entry for name, place in places.items()}


def _entries(path: Path, form: EvidenceFile) -> list[Place[Evidence]]:
    found: list[Place[Evidence]] = []
    for index, row in enumerate(form.measurements):
        place = Place(path, f"measurements[{index}]", _card(form.study, row))
        if row.figures and row.runs:
            raise place.fault(
                "runs",
                t(
                    "give the figures or each run; a figure beside the runs would be a second "
                    "word on the same."
                ),
            )
        if not all(values for _, values in row.runs):
            raise place.fault("runs", NO_FIGURE)
        found.append(place)
    return found


def _card(study: Study, row: Measurement) -> Evidence:
    notes: list[Said] = [note for note in (row.note, _repeated(study, row), study.note) if note]
    return Evidence(
        id=row.id,
        title=row.title,
        source=t("{title}: {source}", title=study.title, source=study.source),
        era=row.era or study.era,
        kernel=row.kernel or study.kernel,
        hardware=row.hardware or study.hardware,
        unit=row.unit,
        lower_is_better=row.lower_is_better,
        figures=row.figures or tuple((name, round(fmean(values), 3)) for name, values in row.runs if values),
        note=in_a_row(*notes),
        runs=row.runs,
        like_for_like=study.like_for_like,
    )


def _repeated(study: Study, row: Measurement) -> Said:
    """How often each was measured, and how far the runs lay apart."""
    if row.runs:
        runs = tuple(
            tn(
                "{name} {low:g} in one run",
                "{name} {low:g} to {high:g} in {count} runs",
                name=_titled(name),
                count=len(values),
                low=min(values),
                high=max(values),
            )
            for name, values in row.runs
            if values
        )
        return t("Lowest and highest run: {runs:semicolons}.", runs=runs)
    return (
        t("Each figure is the mean of {count} runs; how far they lay apart is not told.", count=study.repeats)
        if study.repeats > 1
        else t("One run of each, as far as the study tells: another could differ.")
    )


def _titled(name: str) -> Said | str:
    """A filesystem's name as people write it; a configuration is called as in the study."""
    return KINDS[name].title if name in KINDS else ProfileText(name)


def evidence_for(code: str) -> tuple[Evidence, ...]:
    """The measurements on the matter that `code` is about, in the order of the files; none where no study
    here is about it."""
    beginning = next((ids for topic, ids in TOPICS.items() if code.startswith(topic)), None)
    if beginning is None:
        return ()
    return tuple(card for name, card in load_evidence().items() if name.startswith(beginning))
