"""All texts of the bundled profiles that users see."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from msgspec import Struct

from wizard.advice.catalogue import OptionFile
from wizard.advice.evidence import EvidenceFile, GlossaryFile, StudyTable
from wizard.advice.workloads import WorkloadForm
from wizard.documents.profiles import BUNDLED, read_profile
from wizard.filesystems.registry import KINDS
from wizard.findings.geometry import PatternFile
from wizard.model.said import ProfileText

FORMS: dict[str, type] = {
    "workloads": WorkloadForm,
    "options": OptionFile,
    "evidence": EvidenceFile,
    "glossary": GlossaryFile,
    "drives": PatternFile,
}
"""What a file of each room holds."""

MANUALS = re.compile(r"[\w.-]+\(\d\)([,;] [\w.-]+\(\d\))*")
"""Pages of the manual alone, which are called the same in every language."""


@dataclass(frozen=True, slots=True)
class Written:
    """A text with its file and key, such as `options/ext4.toml` and `options.why`."""

    file: str
    key: str
    text: str


def written_in(folder: Path = BUNDLED) -> Iterator[Written]:
    """Return all texts, in the order of files and positions."""
    for room, form in FORMS.items():
        for path in sorted((folder / room).glob("*.toml")):
            for key, text in _texts(read_profile(path, form), ""):
                yield Written(f"{room}/{path.name}", key, text)


def _texts(value: object, key: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, ProfileText):
        if value and not MANUALS.fullmatch(value.english):
            yield key, value.english
    elif isinstance(value, tuple):
        for one in value:
            yield from _texts(one, key)
    elif isinstance(value, Struct):
        for name in value.__struct_fields__:
            inner = getattr(value, name)
            if name == "figures":
                # Filesystems have names of their own; means and configurations are words.
                yield from ((f"{key}.figures", one) for one, _ in inner if one not in KINDS)
            elif isinstance(value, StudyTable) and name == "filesystems":
                yield from ((f"{key}.{name}", one) for one in inner if one not in KINDS)
            else:
                yield from _texts(inner, f"{key}.{name}" if key else name)
