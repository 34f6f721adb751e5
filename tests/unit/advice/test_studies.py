"""Compare the encoded figures with the texts of the studies.

The texts are not part of this repository. DISKWRIGHT_STUDIES names a folder that contains 000_*.txt to
004_*.txt; tests that need them are skipped otherwise. DISKWRIGHT_RAW names benchmarks/SMR of the fifth
study's raw data.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec.structs import replace

from wizard.advice.evidence import load_evidence
from wizard.advice.workloads import load_workloads
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
    """Return the values of a table row, with None for X and +++++."""
    return [float(word.replace(",", "")) if re.fullmatch(r"[\d.,]+", word) else None for word in words]


def rows_of_choice(text: str) -> dict[str, list[float | None]]:
    """Return the rows of the 2010 study by number. The last three pairs have missing or wrong numbers, so
    they are named."""
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
        assert card.lower_is_better == (str(card.unit) in ("s", "ms")), key
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
    """Return the rows of each filesystem, with the last `columns` words of each line."""
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
    lost = {card.id for card in cards if "lost the record size column" in str(card.note)}
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


LOOP = 11
"""Operations in one turn of FileBench's file server."""
FILE_SERVERS = {"SMR": "shingled-fileserver", "Toshiba": "shingled-conventional-fileserver"}


def test_runs_on_a_shingled_drive(evidence: Mapping[str, Evidence]) -> None:
    """The text contains the first run of each filesystem on 200 GB, and the run of NILFS2 on 8 TB."""
    text = study("004")
    published: dict[tuple[str, str], float] = {
        (match[1], match[2]): int(match[3]) * LOOP / 36000
        for match in re.finditer(r"(SMR8TB|SMR|Toshiba)\.(\w+) appendfilerand1 (\d+)ops", text)
    }
    assert len(published) == 7
    whole = dict(evidence["shingled-fileserver-whole"].figures)
    assert whole["nilfs2"] == pytest.approx(published.pop(("SMR8TB", "nilfs")), rel=1e-3)
    for (drive, name), rate in published.items():
        assert dict(evidence[FILE_SERVERS[drive]].runs)[name][0] == pytest.approx(rate, rel=1e-3)
    seconds = {}
    for name, day, hour, minute, second in re.findall(
        r"(ext4|btrfs|nilfs): (?:(\d+) days )?(?:(\d+) hours )?(\d+) minutes ([\d.]+) seconds", text
    ):
        seconds[name.replace("nilfs", "nilfs2")] = (
            86400 * int(day or 0) + 3600 * int(hour or 0) + 60 * int(minute) + float(second)
        )
    assert dict(evidence["shingled-backup"].figures) == pytest.approx(seconds)
    assert "заняло 4,5 часа в каждой из этих трех файловых систем" in text
    again = {name: round(value / 3600, 1) for name, value in evidence["shingled-backup-again"].figures}
    assert again == dict.fromkeys(seconds, 4.5)
    assert "80 МБ / с до 3-5 МБ / с" in text
    assert [value for _, value in evidence["shingled-rsync-atime"].figures] == [3, 5, 80]


def test_every_run_of_the_raw_data(evidence: Mapping[str, Evidence]) -> None:
    """Compare with benchmarks/SMR of the study's repository if DISKWRIGHT_RAW is set."""
    folder = Path(os.environ.get("DISKWRIGHT_RAW", "/nonexistent"))
    if not folder.is_dir():
        pytest.skip("DISKWRIGHT_RAW names no folder with the fifth study's raw data")

    def rates(pattern: str) -> list[float]:
        texts = (path.read_text() for path in sorted(folder.glob(pattern)))
        return [float(rate) for text in texts for rate in re.findall(r"IO Summary:.*? ([\d.]+) ops/s", text)]

    for drive, key in FILE_SERVERS.items():
        for name, runs in evidence[key].runs:
            assert sorted(runs) == sorted(
                rates(f"{drive}.{name}.[0-9].out") + rates(f"{drive}.{name}.0.out.bak")
            )
    for name, rate in evidence["shingled-fileserver-whole"].figures:
        assert [rate] == rates(f"my_fileserver.fout.{name.removesuffix('2')}")
    for name, seconds in evidence["shingled-backup-again"].figures:
        told = (folder / name.removesuffix("2") / "attic_stats.txt").read_text()
        hours, minutes, rest = re.findall(r"Duration: (\d+) hours (\d+) minutes ([\d.]+)", told)[-1]
        assert seconds == pytest.approx(3600 * int(hours) + 60 * int(minutes) + float(rest))


def test_card_shows_the_number_of_runs_and_its_significance(evidence: Mapping[str, Evidence]) -> None:
    """A figure without a list of runs counts as one run. Single or overlapping runs prove no difference."""
    often = evidence["shingled-fileserver"]
    assert "ext4 52.538 to 53.208 in 5 runs" in str(often.note)
    assert dict(often.figures)["ext4"] == 52.74
    assert often.shows("btrfs", "ext4") and often.shows("ext4", "xfs") and not often.shows("xfs", "btrfs")
    once = evidence["shingled-fileserver-whole"]
    assert "One run each" in str(once.note) and not once.shows("nilfs2", "ext4")
    assert "mean of 3 runs" in str(evidence["alignment-wd-read"].note)
    assert not often.shows("btrfs", "nilfs2")
    overlapping = replace(often, runs=(("btrfs", (52.0, 65.0, 65.0)), ("ext4", (52.7, 52.5, 52.6))))
    assert not overlapping.shows("btrfs", "ext4")
    twice = replace(often, runs=(("btrfs", (65.0, 64.0)), ("ext4", (52.7, 52.5, 52.6))))
    assert not twice.shows("btrfs", "ext4")
    assert not replace(often, like_for_like=False).shows("btrfs", "ext4")
    assert replace(often, lower_is_better=True).shows("xfs", "btrfs")


def test_ratios_in_texts_match_the_cited_figures() -> None:
    """Every ratio in the text of a workload must follow from a cited figure."""
    seen = 0
    for profile in load_workloads():
        for standing in (*profile.usual.choices, *profile.shingled.choices):
            claimed = set(re.findall(r"(\d\.\d\d) times", str(standing.results)))
            assert not re.search(r"\d\.\d\d times", str(standing.sentence))
            assert standing.evidence or not standing.results, (profile.workload.id, standing.filesystem)
            known = {
                f"{better / worse:.2f}"
                for card in standing.evidence
                for _, better in card.figures
                for _, worse in card.figures
            }
            assert claimed <= known, (profile.workload.id, standing.filesystem, claimed - known)
            seen += len(claimed)
    assert seen > 10


def test_cards_have_a_date(evidence: Mapping[str, Evidence]) -> None:
    """Every figure states its era, kernel, hardware, unit and source. Figures of 2010 omit Btrfs."""
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
        "The Btrfs column is empty" in str(card.note)
        for card in evidence.values()
        if card.id.startswith("choice-")
    )
    for row in (19, 20, 21, 22):
        (card,) = (card for card in evidence.values() if card.id.startswith(f"choice-{row}-"))
        assert str(card.unit) == "s" and "numbers are seconds" in str(card.note)
