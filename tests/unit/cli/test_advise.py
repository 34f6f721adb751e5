"""Output of the commands `workloads` and `advise`, including untrusted text."""

import json
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.unit.machines import WORKLOADS, drive, machine
from tests.unit.pages import page_lines
from tests.unit.report.reports import underived
from wizard.advice.ranking import advise
from wizard.advice.workloads import find_workload
from wizard.cli.main import main
from wizard.cli.plan import advice_text
from wizard.documents.codec import from_json
from wizard.model.advice import Advice, Rank
from wizard.model.finding import Recorded, Recording
from wizard.model.machine import Drive, Kernel

UNKNOWN = Recording("unknown", None, Recorded.UNKNOWN, "low")
LIKELY = Recording("shingled", "drive", Recorded.LIKELY, "medium")


def text_of(workload: str, of: Drive, recording: Recording = UNKNOWN) -> list[str]:
    return page_lines(advice_text(advise(machine(of), of, recording, find_workload(workload)), of))


def flowing(lines: list[str]) -> str:
    return " ".join(" ".join(lines).split())


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> str:
    """Recorded machine with one drive."""
    monkeypatch.setattr("wizard.probe.machine.load_machine", lambda path: machine(drive()))
    return "saved.json"


@pytest.mark.parametrize("workload", WORKLOADS)
@pytest.mark.parametrize("recording", [UNKNOWN, LIKELY])
def test_text_contains_all_advice(workload: str, recording: Recording) -> None:
    of = drive(scheduler="bfq")
    advice = advise(machine(of), of, recording, find_workload(workload))
    lines = page_lines(advice_text(advice, of))
    assert max(len(line) for line in lines) <= 80
    said = flowing(lines)
    for one in advice.unmade:
        assert one.title in said and one.why_not in said and one.way_off in said
    for choice in advice.choices:
        # Swap holds no files, and is no choice for any work.
        assert (str(choice.sentence) in said) == (choice.filesystem != "swap")
        if not choice.ranked:
            continue
        in_full = choice.place is not Rank.NOT_RECOMMENDED
        for option in (*choice.mkfs, *choice.mount):
            assert (option.text in said or choice.obstacles) and (
                not in_full or (str(option.why) in said and str(option.risk) in said)
            )
        for card in choice.evidence:
            unit = f"{card.unit}, {'less' if card.lower_is_better else 'more'} is better"
            assert f"{card.title} {unit}:" in said
            assert f"Measured: {card.era}, kernel {card.kernel}, {card.hardware}" in said
            assert all(f"{value:g}" in said for _, value in card.figures)
            assert all(sentence in said for sentence in str(card.note).split(". "))
    assert all(sentence in said for sentence in (*advice.doubts, *advice.notes))


def test_unranked_filesystem_takes_one_sentence() -> None:
    of, profile = drive(), find_workload("large-media")
    plain = tuple(
        replace(one, ranked=False, moves_up=False) if one.filesystem == "btrfs" else one
        for one in profile.usual.choices
    )
    advice = advise(machine(of), of, UNKNOWN, replace(profile, usual=replace(profile.usual, choices=plain)))
    lines = page_lines(advice_text(advice, of))
    said = flowing(lines)
    sentence = next(one for one in profile.usual.choices if one.filesystem == "btrfs").sentence
    assert f"Btrfs: {sentence}" in said
    assert "autodefrag" not in said, "what is not offered of it would not be taken anyway"
    assert "3. Btrfs" not in said and "-m dup" not in said and "autodefrag" not in said


def test_unsupported_filesystems_come_last_with_their_figures() -> None:
    lines = text_of("small-files", drive())
    start = lines.index("Known but not supported")
    assert start > next(number for number, line in enumerate(lines) if line.startswith("2. "))
    said = flowing(lines[start:])
    assert re.search(r"ReiserFS: Linux dropped it in version 6\.13.* What to do: ", said)
    assert re.search(r"ufs #+ 255", said) and "YAFFS: It is for raw NAND chips" in said
    assert not re.search(r"ufs #+ 255", flowing(text_of("large-media", drive())))


def test_figures_are_sorted_best_first() -> None:
    said = re.sub(" #+", "", flowing(text_of("large-media", drive())).lower())
    assert (
        "s, less is better: xfs 24.683 ext4 26.123 ext3 29.429 reiserfs 30.64 jfs 31.446 reiser4 31.925"
        in said
    )
    assert "kb/s, more is better: xfs 159393 ext3 155150" in said


def test_unusable_drive_is_reported_first() -> None:
    lines = text_of("large-media", drive(size_bytes=4096))
    assert lines[2] == "No filesystem can be created here."
    assert [line for line in lines if re.match(r"\d+\. ", line)][:3] == [
        "1. XFS: cannot",
        "2. ext4: cannot",
        "3. Btrfs: cannot",
    ]
    assert flowing(lines).count("Not possible here: Only 0 B available") == sum(
        bool(re.match(r"\d+\. ", line)) for line in lines
    )


def test_untrusted_text_cannot_control_the_screen() -> None:
    of = drive(model="evil\x1b[2J\x07 [bold]x[/bold]", path="/dev/sda")
    on = replace(machine(of), kernel=Kernel("6.1\x1b[31m", frozenset({"vfat"})))
    advice = advise(on, of, UNKNOWN, find_workload("large-media"))
    said = "\n".join(page_lines(advice_text(advice, of)))
    assert "\x1b" not in said and "\x07" not in said
    assert "[bold]x[/bold]" in said


def test_advise_as_a_document(recorded: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", "/dev/sda", "--workload", "large-media", "--machine", recorded, "--json"]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    value = json.loads(printed.out)
    assert (
        value.pop("schema") == "diskwright.advice/1"
        and value["choices"][0]["filesystem"] == "xfs"
        and value["choices"][0]["place"] == "chosen"
    )
    of = drive()
    advised = advise(machine(of), of, from_main(), find_workload("large-media"))
    assert from_json(value, Advice, "it") == underived(advised)


def from_main() -> Recording:
    from wizard.findings.diagnose import diagnose
    from wizard.findings.geometry import load_patterns

    of = drive()
    return diagnose(machine(of), of, load_patterns()).recording


def test_advise_as_text(recorded: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(
            [
                "advise",
                "/dev/disk/by-id/ata-Example_HDD_500_S1",
                "--workload",
                "small-files",
                "--machine",
                recorded,
            ]
        )
        == 0
    )
    assert capsys.readouterr().out.startswith(
        "Many small files on /dev/sda (Example HDD 500, 500 GB, rotating)\n\n1. ext4: recommended\n"
    )


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ["/dev/sdz", "--workload", "small-files", "--machine", "saved.json"],
            "Drive /dev/sdz is not among the known drives: /dev/sda.",
        ),
        (
            ["/dev/sda", "--workload", "smal", "--machine", "saved.json"],
            "Unknown workload 'smal'.",
        ),
        (
            ["/dev/sda\x1b[2J", "--workload", "small-files", "--machine", "saved.json"],
            "Drive /dev/sda?[2J is not",
        ),
    ],
)
def test_advise_for_a_missing_drive(
    words: list[str], says: str, recorded: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["advise", *words]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and says in printed.err and "Traceback" not in printed.err


def test_workloads(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["workloads"]) == 0
    said = capsys.readouterr().out
    assert all(workload in said for workload in WORKLOADS)
    assert main(["workloads", "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert value["schema"] == "diskwright.workloads/1"
    found = {workload["id"]: workload for workload in value["workloads"]}
    assert set(found) >= set(WORKLOADS)
    for workload in WORKLOADS:
        assert Path(found[workload]["origin"]).name == f"{workload}.toml"
        assert found[workload]["title"] and found[workload]["summary"]
