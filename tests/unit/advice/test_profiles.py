"""Errors in a user's profile name the file, line and key."""

from pathlib import Path

import pytest

from tests.unit.advice.ownprofiles import EVIDENCE, OPTIONS, WORKLOAD, Write, line, write_sound, writing
from wizard.advice.evidence import load_evidence
from wizard.advice.workloads import load_workloads
from wizard.model.errors import BadInput, ExitCode


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    return writing(tmp_path, monkeypatch)


@pytest.fixture
def mine(write: Write) -> Path:
    return write_sound(write)


def fault(path: Path) -> str:
    with pytest.raises(BadInput) as caught:
        load_workloads()
    said = str(caught.value)
    assert said.startswith(str(path)), said
    assert caught.value.exit_code is ExitCode.USAGE
    return said


def assert_at(said: str, number: int, place: str) -> None:
    """Check that a message contains the line number, the enclosing table and the key."""
    outer, _, last = place.rpartition(", ")
    assert f"line {number}{', ' if outer else ''}{outer}" in said
    assert (last if " " in last else f"`{last}`") in said


@pytest.mark.parametrize(
    ("old", "new", "at", "nth", "key", "says"),
    [
        ('place = "chosen"', 'place = "best"', "place", 0, "choices 1, place", "best"),
        ('place = "chosen"', 'palce = "chosen"', "palce", 0, "choices 1, palce", "is not a known key"),
        ('sentence = "It suits too."\n', "", "[[choices]]", 1, "choices 2", "sentence"),
        (
            'place = "second"\nsentence = "More here."',
            'place = 2\nsentence = "More here."',
            "place",
            4,
            "choices 3, shingled, place",
            "number",
        ),
        ('id = "photos"', 'id = "Photos 1"', "id", 0, "id", "not a valid id"),
        ('label = "photos"', 'label = "photographs-2026"', "label", 0, "label", "1 to 12"),
        ('label = "photos"', 'label = "фото"', "label", 0, "label", "1 to 12"),
        ('title = "Photographs"', 'title = "a\\u001b[2Jb"', "title", 0, "title", "plain text"),
        ('["ext4-no-reserve", ', '["ext4-no-reserv", ', "mkfs", 0, "choices 1, mkfs", "is not in"),
        (
            '["ext4-no-reserve", ',
            '["noatime", ',
            "mkfs",
            0,
            "choices 1, mkfs",
            "noatime is a mount option",
        ),
        (
            '["ext4-no-reserve", ',
            '["btrfs-metadata-twice", ',
            "mkfs",
            0,
            "choices 1, mkfs",
            "is for btrfs, not for ext4",
        ),
        (
            '["ext4-no-reserve", ',
            '["ext4-no-journal", ',
            "mkfs",
            0,
            "choices 1, mkfs",
            "never offered: Without a journal",
        ),
        (
            'mount = ["noatime"]',
            'mount = ["noatime", "ext4-barrier-0"]',
            "mount",
            0,
            "choices 1, mount",
            "never offered",
        ),
        (
            '["ext4-no-reserve", ',
            '["ext4-largefile", "ext4-largefile4", ',
            "mkfs",
            0,
            "choices 1, mkfs",
            "cannot be combined",
        ),
        (
            '["mq-deadline"]',
            '["elevator"]',
            "schedulers",
            0,
            "choices 2, schedulers",
            "'elevator' is not in profiles/options",
        ),
        ('["mine-1"]', '["mine-2"]', "evidence", 0, "choices 1, evidence", "'mine-2' is not in"),
        (
            'filesystem = "xfs"',
            'filesystem = "reiserfs"',
            "filesystem",
            1,
            "choices 2, filesystem",
            "Unknown name 'reiserfs'",
        ),
        (
            'filesystem = "xfs"',
            'filesystem = "ext4"',
            "filesystem",
            1,
            "choices 2, filesystem",
            "ranked twice",
        ),
        (
            'place = "second"\nsentence = "It suits too."',
            'place = "chosen"\nsentence = "It suits too."',
            "place",
            1,
            "choices 2, place",
            "filesystem must be chosen, and",
        ),
        (
            'place = "second"\nsentence = "More here."',
            'place = "chosen"\nsentence = "More here."',
            "place",
            4,
            "choices 3, shingled, place",
            "filesystem must be chosen, and",
        ),
        (
            'place = "chosen"',
            'place = "rejected"',
            "[[choices]]",
            0,
            "choices 1",
            "filesystem must be chosen, and",
        ),
        (
            'place = "rejected"\nsentence = "It suits less."',
            'place = "second"\nsentence = "It suits less."',
            "place",
            3,
            "choices 3, place",
            "at most one may be second",
        ),
        (
            'label = "photos"',
            'label = "photos"\nmeasured = ["mine-3"]',
            "measured",
            0,
            "measured",
            "'mine-3' is not in profiles/evidence",
        ),
        (
            'sentence = "It suits."',
            'sentence = "It suits."\nunfit = true',
            "unfit",
            0,
            "choices 1, unfit",
            "only a rejected filesystem",
        ),
        (
            'sentence = "It suits less."',
            'sentence = " "',
            "sentence",
            3,
            "choices 3, sentence",
            "one line of plain text",
        ),
    ],
)
def test_invalid_workload_is_rejected(
    mine: Path, old: str, new: str, at: str, nth: int, key: str, says: str
) -> None:
    assert old in WORKLOAD
    mine.write_text(WORKLOAD.replace(old, new, 1), encoding="utf-8")
    said = fault(mine)
    assert_at(said, line(mine, at, nth), key)
    assert says in said
    assert "\x1b" not in said


def test_duplicate_id_in_one_folder_is_rejected(mine: Path, write: Write) -> None:
    second = write("workloads/second.toml", WORKLOAD)
    said = fault(second)
    assert "line 1, `id`: " in said and str(mine) in said


@pytest.mark.parametrize(
    ("old", "new", "key", "says"),
    [
        ('"-I 512"', '"-J device=/dev/sdb"', "text", "cannot be written"),
        ('"-I 512"', '"-I 512 /dev/sdb"', "text", "cannot be written"),
        ('"-I 512"', '"-U clear"', "text", "diskwright sets '-U clear'"),
        ('"-I 512"', '"$(reboot)"', "text", "cannot be written"),
        ('kind = "mkfs"', 'kind = "mkswap"', "kind", "mkswap"),
        ('["ext4"]', '["ext5"]', "filesystems", "one of ext4"),
        ('["ext4"]', "[]", "filesystems", "at least one"),
        ('"2.6"', '"2.6.33"', "since", "kernel version"),
        ('"1GiB"', '"much"', "at_least", "not a size"),
        ('["noatime"]', '["notime"]', "conflicts", "'notime' is not in profiles/options"),
        ('conflicts = ["noatime"]', "danger = true", "never", "add the reason"),
        ('since = "2.6"', "since = 2.6", "since", "must be text, not a number."),
    ],
)
def test_invalid_option_is_rejected(write: Write, old: str, new: str, key: str, says: str) -> None:
    assert old in OPTIONS
    path = write("options/mine.toml", OPTIONS.replace(old, new, 1))
    said = fault(path)
    at = key if key != "never" else "[[options]]"
    assert_at(said, line(path, at), f"options 1, {key}")
    assert says in said


def test_conflicts_apply_in_both_directions(mine: Path, write: Write) -> None:
    write("options/mine.toml", OPTIONS.replace('["noatime"]', '["ext4-no-reserve"]'))
    assert "ext4-no-reserve and my-inode-size cannot be combined" in fault(mine)


@pytest.mark.parametrize(
    ("old", "new", "at", "key", "says"),
    [
        (
            '[["ext4", 3], ["xfs", 3.5]]',
            '[["ext4", "X"]]',
            "figures",
            "measurements 1, figures 1.2",
            "must be a number, not text.",
        ),
        ('[["ext4", 3], ["xfs", 3.5]]', "[]", "figures", "measurements 1, figures", "at least one"),
        (
            "lower_is_better = true",
            'lower_is_better = "yes"',
            "lower_is_better",
            "measurements 1, lower_is_better",
            "must be a boolean (true or false), not text.",
        ),
        ('era = "2026"\n', "", "[study]", "study, era", "is missing"),
    ],
)
def test_invalid_evidence_is_rejected(write: Write, old: str, new: str, at: str, key: str, says: str) -> None:
    path = write("evidence/mine.toml", EVIDENCE.replace(old, new, 1))
    said = fault(path)
    assert_at(said, line(path, at), key)
    assert says in said


def test_a_table_has_one_value_for_each_filesystem(write: Write) -> None:
    tests = '[{id = "mine-copy", title = "Copying", rates = [["8 KB", [3, 4]]]}]'
    columns = 'unit = "KB/s", lower_is_better = false, filesystems = ["ext4", "xfs"]'
    table = f"tables = [{{{columns}, tests = {tests}}}]\n"
    write("evidence/mine.toml", table + EVIDENCE)
    card = load_evidence()["mine-copy-8k"]
    assert (str(card.title), card.figures) == ("Copying, 8 KB at a time", (("ext4", 3), ("xfs", 4)))
    path = write("evidence/mine.toml", table.replace("[3, 4]", "[3]") + EVIDENCE)
    assert "mine-copy-8k: write figures or runs" in fault(path)


def test_invalid_toml_is_rejected(write: Write) -> None:
    path = write("workloads/broken.toml", 'id = "x\n')
    assert "line 1" in fault(path)


def test_options_with_the_same_flag_exclude_each_other(write: Write, mine: Path) -> None:
    write("options/mine.toml", OPTIONS.replace('"-I 512"', '"-m 1"').replace('["noatime"]', "[]"))
    assert "cannot be combined" in fault(mine)
