"""The encoded figures against the studies' own texts, where they are at hand.

The texts are not part of this repository. DISKWRIGHT_STUDIES names a folder that holds them as 000_*.txt, 001_*.txt, 002_*.txt
and 004_*.txt; without it only what needs no text is tested.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from wizard.advise.evidence import load_evidence
from wizard.model.advice import Evidence

COLUMNS = ("ext3", "ext4", "reiserfs", "xfs", "jfs", "reiser4")
NAMES = {"ext3": "ext3", "ext4": "ext4", "reiserfs": "ReiserFS", "jfs": "JFS", "xfs": "XFS", "btrfs": "Btrfs"}


@pytest.fixture(scope="module")
def evidence() -> Mapping[str, Evidence]:
    return load_evidence()


def study(number: str) -> str:
    folder = os.environ.get("DISKWRIGHT_STUDIES")
    if not folder:
        pytest.skip("DISKWRIGHT_STUDIES names no folder with the studies' texts")
    (path,) = Path(folder).glob(f"{number}_*.txt")
    return path.read_text(encoding="utf-8")


def numbers(words: list[str]) -> list[float | None]:
    """Values of a table's row; X and +++++ are none."""
    return [float(word.replace(",", "")) if re.fullmatch(r"[\d.,]+", word) else None for word in words]


def rows_of_choice(text: str) -> dict[str, list[float | None]]:
    """The rows of the study of 2010 by number; the last three pairs by name, since their numbers are missing or wrong."""
    found: dict[str, list[float | None]] = {}
    section = ""
    for line in text[text.index("NO. Test Points") :].splitlines():
        words = line.split()
        if not words:
            continue
        if (name := words[-1].lower()) in ("webproxy", "videoserver") or line.startswith("49 varmail"):
            section = "varmail" if "varmail" in line else name
            continue
        unit = next(
            (index for index, word in enumerate(words) if word in ("s", "/s", "MB/s", "KB/s", "io/s", "ms") and len(words) > index + 5),
            None,
        )
        if unit is None:
            continue
        values = numbers(words[unit + 1 :])
        if section:
            found[f"{section}-{'rate' if 'iops' in words else 'bandwidth'}"] = values
        else:
            found[f"{int(words[0]):02}"] = values
    return found


def test_every_row_of_the_study_of_2010(evidence: Mapping[str, Evidence]) -> None:
    rows = rows_of_choice(study("001"))
    assert len(rows) == 48, sorted(rows)
    cards = {key: card for key, card in evidence.items() if key.startswith("choice-")}
    encoded: set[str] = set()
    for key, card in cards.items():
        short = key.removeprefix("choice-")
        row = short[:2] if short[:2].isdigit() else short
        written = {name: value for name, value in zip(COLUMNS, rows[row], strict=False) if value is not None}
        assert dict(card.figures) == written, key
        assert card.lower_is_better == (card.unit in ("s", "ms")), key
        encoded.add(row)
    assert encoded == set(rows)


def test_every_ratio_of_the_alignment_study(evidence: Mapping[str, Evidence]) -> None:
    text = study("000")
    cards = [card for key, card in evidence.items() if key.startswith("alignment-")]
    assert len(cards) == 16
    for card in cards:
        for name, value in card.figures:
            number = f"{value:.2f}"
            if name in NAMES:
                near = [text[match.end() : match.end() + 22] for match in re.finditer(rf"{number}|{number.rstrip('0')}(?!\d)", text)]
                # Twice the name stands before its number.
                near += re.findall(rf"影响因素是 \w+,平均值为 {number}|在 \w+ 下,小型文件读取的性能损失值的范围高达 {number}", text)
                assert any(NAMES[name] in place for place in near), (card.id, name, value)
            else:
                assert number in text or f"{value:g}" in text, (card.id, name, value)


def test_the_table_of_ext2_ext3_and_ext4(evidence: Mapping[str, Evidence]) -> None:
    text = study("002")
    table = text[text.index("reclen write") : text.index("bkwd read")]
    columns = ("write", "rewrite", "read", "reread", "random-read", "random-write")
    name = ""
    found: dict[tuple[str, str], float | None] = {}
    for line in table.splitlines():
        words = line.split()
        if words and words[0].startswith("Ext"):
            name = words[0].lower()
        if name and len(words) >= 7:
            record, *values = numbers(words[-7:])
            found |= {(f"ext-{column}-{record:g}k", name): value for column, value in zip(columns, values, strict=True)}
    cards = [card for key, card in evidence.items() if key.startswith("ext-")]
    assert len(cards) == 12
    for card in cards:
        assert [name for name, _ in card.figures] == ["ext2", "ext3", "ext4"]
        for filesystem, value in card.figures:
            assert found[card.id, filesystem] == value, (card.id, filesystem)


def test_the_runs_on_a_shingled_drive(evidence: Mapping[str, Evidence]) -> None:
    text = study("004")
    runs: dict[tuple[str, str], tuple[float, float, float]] = {}
    for match in re.finditer(r"(SMR|Toshiba)\w*\.(\w+) appendfilerand1 (\d+)ops .*?([\d.]+)ms/op .*?- ?(\d+)ms\]", text):
        runs[match[1], match[2].replace("nilfs", "nilfs2")] = (float(match[3]), float(match[4]), float(match[5]))
    assert len(runs) == 7
    for drive, prefix in (("SMR", "shingled-"), ("Toshiba", "shingled-conventional-")):
        names = {name for which, name in runs if which == drive}
        for index, key in enumerate(("appends", "append-latency", "append-longest")):
            figures = dict(evidence[prefix + key].figures)
            assert figures == {name: runs[drive, name][index] for name in names}, key
    seconds = {}
    for name, day, hour, minute, second in re.findall(
        r"(ext4|btrfs|nilfs): (?:(\d+) days )?(?:(\d+) hours )?(\d+) minutes ([\d.]+) seconds", text
    ):
        seconds[name.replace("nilfs", "nilfs2")] = 86400 * int(day or 0) + 3600 * int(hour or 0) + 60 * int(minute) + float(second)
    assert dict(evidence["shingled-backup"].figures) == pytest.approx(seconds)
    assert "80 МБ / с до 3-5 МБ / с" in text
    assert [value for _, value in evidence["shingled-rsync-atime"].figures] == [3, 5, 80]


def test_cards_date_themselves(evidence: Mapping[str, Evidence]) -> None:
    """Needs no text: no figure without its era, kernel, hardware, unit and source; no Btrfs column where the study has none."""
    for card in evidence.values():
        assert all((card.title, card.source, card.era, card.kernel, card.hardware, card.unit)), card.id
        assert "see each" not in card.kernel + card.hardware, card.id
        assert all(value > 0 for _, value in card.figures), card.id
    assert not [card.id for card in evidence.values() if card.id.startswith("choice-") and "btrfs" in dict(card.figures)]
    assert all("Btrfs is empty" in card.note for card in evidence.values() if card.id.startswith("choice-"))
    for row in (19, 20, 21, 22):
        (card,) = (card for card in evidence.values() if card.id.startswith(f"choice-{row}-"))
        assert card.unit == "s" and "numbers are seconds" in card.note
