"""The encoded figures against the studies' own texts, where they are at hand.

The texts are not part of this repository. DISKWRIGHT_STUDIES names a folder that holds them as 000_*.txt to
004_*.txt; without it only what needs no text is tested.
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
    """The rows of the study of 2010 by number; the last three pairs by name, since their numbers are missing
    or wrong."""
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
            (
                index
                for index, word in enumerate(words)
                if word in ("s", "/s", "MB/s", "KB/s", "io/s", "ms") and len(words) > index + 5
            ),
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
    told = re.findall(r"\d+\.\d\d", text[text.index("基准测试结果所有") : text.index("测试结果分析")])
    encoded = {f"{value:.2f}" for card in cards for _, value in card.figures}
    assert set(told) - encoded == {"1.00"}, "1.00 only says that nothing is lost"
    for card in cards:
        for name, value in card.figures:
            number = f"{value:.2f}"
            if name in NAMES:
                near = [
                    text[match.end() : match.end() + 22]
                    for match in re.finditer(rf"{number}|{number.rstrip('0')}(?!\d)", text)
                ]
                # Twice the name stands before its number.
                near += re.findall(
                    rf"影响因素是 \w+,平均值为 {number}|在 \w+ 下,小型文件读取的性能损失值的范围高达 "
                    rf"{number}",
                    text,
                )
                assert any(NAMES[name] in place for place in near), (card.id, name, value)
            else:
                assert number in text or f"{value:g}" in text, (card.id, name, value)


RECORDS = (4, 8, 16, 32, 64, 128, 256)
FIRST_TABLE = ("write", "rewrite", "read", "reread", "random-read", "random-write")
SECOND_TABLE = ("backward-read", "record-rewrite", "stride-read", "fwrite", "frewrite", "fread", "freread")


def rows_of_ext(table: str, columns: int) -> dict[str, list[list[float | None]]]:
    """The rows of each filesystem: the last `columns` words of each line."""
    found: dict[str, list[list[float | None]]] = {}
    name = ""
    for line in table.splitlines()[1:]:
        words = line.split()
        if words and words[0].startswith("Ext"):
            name = words[0].lower()
        if name and len(words) >= columns:
            found.setdefault(name, []).append(numbers(words[-columns:]))
    return found


def test_both_tables_of_ext2_ext3_and_ext4(evidence: Mapping[str, Evidence]) -> None:
    text = study("002")
    first, second = (
        text[text.index("reclen write") : text.index("bkwd read")],
        text[text.index("bkwd read") : text.index("注:")],
    )
    written: dict[tuple[str, str], float | None] = {}
    for columns, table, named in ((FIRST_TABLE, first, True), (SECOND_TABLE, second, False)):
        for name, rows in rows_of_ext(table, len(columns) + named).items():
            for record, row in zip(RECORDS, rows, strict=True):
                assert not named or row[0] == record
                written |= {
                    (f"ext-{column}-{record}k", name): value
                    for column, value in zip(columns, row[1 if named else 0 :], strict=True)
                }
    for word, key in (("real", "ext-whole-run"), ("sys", "ext-whole-run-processor")):
        runs = re.findall(rf"{word} (\d+)m([\d.]+)s", first)
        assert runs == re.findall(rf"{word} (\d+)m([\d.]+)s", second)
        for name, (minutes, seconds) in zip(("ext2", "ext3", "ext4"), runs, strict=True):
            written[key, name] = round(60 * int(minutes) + float(seconds), 3)
    cards = [card for key, card in evidence.items() if key.startswith("ext-")]
    assert {(card.id, name): value for card in cards for name, value in card.figures} == written
    assert len(written) == 3 * (7 * 6 + 7 * 7 + 2)
    lost = {card.id for card in cards if "lost its column" in str(card.note)}
    assert lost == {f"ext-{column}-{record}k" for column in SECOND_TABLE for record in RECORDS}


def test_both_tables_of_striping(evidence: Mapping[str, Evidence]) -> None:
    text = study("003")
    names = {"UFS,default": "ufs", "UFS,ccd": "ufs on two striped disks", "Ext2,default": "ext2"}
    written: dict[tuple[str, str], float] = {}
    for columns in (("copy-data", "unpack", "copy-ports", "copy-big"), ("delete-data", "delete-ports")):
        lines = [line.split() for line in text.splitlines() if len(line.split()) == 1 + len(columns)]
        for name, *values in lines:
            if name in names:
                written |= {
                    (f"striping-{column}", names[name]): float(value)
                    for column, value in zip(columns, values, strict=True)
                }
    assert len(written) == 4 * 3 + 2 * 2
    cards = [card for key, card in evidence.items() if key.startswith("striping-")]
    assert {(card.id, name): value for card in cards for name, value in card.figures} == written
    assert all("Units are not stated" in str(card.note) and card.lower_is_better for card in cards)
    gains = {
        key: round(
            100
            * (1 - written[f"striping-{key}", "ufs on two striped disks"] / written[f"striping-{key}", "ufs"])
        )
        for key in ("copy-data", "unpack", "copy-ports", "copy-big", "delete-ports")
    }
    assert list(gains.values()) == [12, 43, 31, 20, 63], "what the note says of the study's own gains"


def test_the_runs_on_a_shingled_drive(evidence: Mapping[str, Evidence]) -> None:
    text = study("004")
    runs: dict[tuple[str, str], list[float]] = {}
    for match in re.finditer(
        r"(SMR|Toshiba)\w*\.(\w+) appendfilerand1 (\d+)ops .*?([\d.]+)ms/op +(\d+)us/op.*?- ?(\d+)ms\]", text
    ):
        runs[match[1], match[2].replace("nilfs", "nilfs2")] = [float(match[index]) for index in (3, 4, 5, 6)]
    assert len(runs) == 7
    for drive, prefix in (("SMR", "shingled-"), ("Toshiba", "shingled-conventional-")):
        names = {name for which, name in runs if which == drive}
        for index, key in enumerate(("appends", "append-latency", "append-processor", "append-longest")):
            figures = dict(evidence[prefix + key].figures)
            assert figures == {name: runs[drive, name][index] for name in names}, key
    seconds = {}
    for name, day, hour, minute, second in re.findall(
        r"(ext4|btrfs|nilfs): (?:(\d+) days )?(?:(\d+) hours )?(\d+) minutes ([\d.]+) seconds", text
    ):
        seconds[name.replace("nilfs", "nilfs2")] = (
            86400 * int(day or 0) + 3600 * int(hour or 0) + 60 * int(minute) + float(second)
        )
    assert dict(evidence["shingled-backup"].figures) == pytest.approx(seconds)
    assert "заняло 4,5 часа в каждой из этих трех файловых систем" in text
    assert dict(evidence["shingled-backup-again"].figures) == dict.fromkeys(seconds, 4.5)
    assert "80 МБ / с до 3-5 МБ / с" in text
    assert [value for _, value in evidence["shingled-rsync-atime"].figures] == [3, 5, 80]


def test_cards_date_themselves(evidence: Mapping[str, Evidence]) -> None:
    """Needs no text: no figure without its era, kernel, hardware, unit and source; no Btrfs column where the
    study has none."""
    for card in evidence.values():
        assert all((card.title, card.source, card.era, card.kernel, card.hardware, card.unit)), card.id
        assert "see each" not in f"{card.kernel}{card.hardware}", card.id
        assert all(value > 0 for _, value in card.figures), card.id
    assert not [
        card.id
        for card in evidence.values()
        if card.id.startswith("choice-") and "btrfs" in dict(card.figures)
    ]
    assert all(
        "Btrfs is empty" in str(card.note) for card in evidence.values() if card.id.startswith("choice-")
    )
    for row in (19, 20, 21, 22):
        (card,) = (card for card in evidence.values() if card.id.startswith(f"choice-{row}-"))
        assert str(card.unit) == "s" and "numbers are seconds" in str(card.note)
