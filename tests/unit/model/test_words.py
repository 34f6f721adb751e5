"""Translated messages, and the check of each message."""

import ast
from collections import Counter
from pathlib import Path

import pytest

from tests.prose import Names, Spoken, compared, faults_of, prose_of, said_in, spoken_in, wrong_calls
from tests.translation import REPO, fault_of, pseudo
from wizard.cli.main import main
from wizard.documents.files import speak, wanted
from wizard.model.said import English, Language, Message, Sentence, Value

ROOM = Sentence("{drive} has {size:size} left.")
BOTH = "{first:list} and {last}"
TWO = Sentence("{first} and {second}")


def test_every_message_can_be_written_in_an_invented_language(pseudo_language: None) -> None:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in (REPO / "wizard").rglob("*.py")]
    messages = [one for tree in trees for one in spoken_in(tree)]
    assert len(messages) > 3000
    for one in messages:
        values: dict[str, Value] = dict.fromkeys(one.fields, 7)
        english, several = (*one.texts, "")[:2]
        for count in (1, 2) if several else (1,):
            if "count" in values:
                values["count"] = count
            said = str(Message(english, several, tuple(values.items())))
            assert said.startswith("⟦") and said.rstrip("~⟧") != said, f"{english!r} was not translated"


def test_command_uses_the_language_of_the_user(
    pseudo_language: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["inspect", "--machine", str(REPO / "tests/machines/red.json")]) == 0
    shown = capsys.readouterr().out
    assert "⟦/dev/sdb háš" in " ".join(shown.split()) and "has 512-byte" not in shown


def test_longer_and_accented_text_keeps_its_fields() -> None:
    assert pseudo("{drive} is {size:size}.") == "⟦{drive} íš {size:size}.~~~~~~~⟧"


@pytest.mark.parametrize(
    ("environment", "names"),
    [
        ({"LANG": "de_AT.UTF-8"}, ["de_AT", "de"]),
        ({"LANG": "sr_RS@latin"}, ["sr_RS@latin", "sr_RS", "sr@latin", "sr"]),
        ({"LC_ALL": "C.UTF-8", "LANG": "de_DE"}, []),
        ({"LC_ALL": "", "LC_MESSAGES": "fr_FR", "LANG": "de_DE"}, ["fr_FR", "fr"]),
        ({"LANGUAGE": "nl:fr", "LANG": "de_DE"}, ["nl", "fr", "de_DE", "de"]),
        ({"LANGUAGE": "nl", "LANG": "C"}, []),
        ({"LANGUAGE": "../../../tmp/evil", "LANG": "de"}, ["de"]),
        ({}, []),
    ],
)
def test_locale_determines_the_languages_to_search(environment: dict[str, str], names: list[str]) -> None:
    assert list(wanted(environment)) == names


@pytest.mark.parametrize(("languages", "said"), [("fr:eo:en", pseudo(BOTH)), ("fr:en:eo", BOTH)])
def test_first_language_with_a_catalogue_is_used(
    pseudo_language: None, monkeypatch: pytest.MonkeyPatch, languages: str, said: str
) -> None:
    monkeypatch.setattr(Language, "one", English.one)
    speak({"LANGUAGE": languages, "LANG": "de_DE"})
    assert Language.one(BOTH) == said
    assert str(TWO(first=1, second=2)) == "1 and 2", "what is not translated is said in English"


@pytest.mark.parametrize("bytes_of_it", [b"", b"\xde\x12\x04\x95", b"no catalogue at all"])
def test_unreadable_catalogue_leaves_english(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bytes_of_it: bytes
) -> None:
    monkeypatch.setattr("wizard.documents.files.CATALOGUES", str(tmp_path))
    file = tmp_path / "eo/LC_MESSAGES/diskwright.mo"
    file.parent.mkdir(parents=True)
    file.write_bytes(bytes_of_it)
    before = Language.one
    speak({"LANG": "eo"})
    assert Language.one is before


@pytest.mark.parametrize(
    "wrong", ["{laufwerk} voll", "{drive.__class__} {size:size}", "{drive:size}{size}", "{drive", "{0}"]
)
def test_translation_with_other_fields_is_shown_in_english(
    wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wizard.model.said.Language.one", staticmethod(lambda english: wrong))
    assert str(ROOM(drive="/dev/sda", size=10**9)) == "/dev/sda has 1.0 GB left."


def test_translation_with_other_fields_is_a_fault() -> None:
    from babel.messages.catalog import Message as CatalogMessage

    assert "size" in fault_of(CatalogMessage("{drive} has {size:size}", "{drive} hat {große:size}"))
    assert fault_of(CatalogMessage("{drive} has {size:size}", "{drive} hat {size"))
    assert not fault_of(CatalogMessage("{drive} has {size:size}", "{size:size} hat {drive}"))
    assert not fault_of(
        CatalogMessage(("One drive", "{count} drives"), ("Ein Laufwerk", "{count} Laufwerke"))
    )


SOURCE = '''
"""A docstring of many words."""
from wizard.test.words import ROOM
from wizard.test import words
from re import compile

def f(drive, error):
    """Another docstring here."""
    raise ValueError(f"{drive} makes no sense")
    compile("three or more words")
    note("said to the log only")
    print(f"{drive} was erased")
    print("a b", "two words", ("mkfs", "-L"), metavar="one two three")
    raise Refused("Nothing was written." f" to {drive}")
    ROOM(drive=1, size=2)
    words.ROOM(drive=1)
    ROOM(drive=1, size=2, other=3)
    ROOM(**error)
'''


KNOWN = {
    "wizard.test.words": {
        "ROOM": Spoken("ROOM", ("{drive} has {size:size}",)),
        "OTHER": Spoken("OTHER", ("Another.",)),
    }
}


def test_untranslatable_text_is_found_exactly() -> None:
    found = [text for _, text in prose_of(ast.parse(SOURCE))]
    assert found == ["\N{WHITE SQUARE} was erased", "Nothing was written. to \N{WHITE SQUARE}"]


def test_message_is_translatable_but_its_values_may_not_be() -> None:
    tree = ast.parse('A = t("One two three: {why}", why="Four five six.")')
    assert [text for _, text in prose_of(tree)] == ["Four five six."]


def test_call_with_other_fields_than_the_sentence_is_found() -> None:
    tree = ast.parse(SOURCE)
    found = list(wrong_calls(tree, Names.of("wizard.test.room", tree, KNOWN)))
    assert [line for line, _ in found] == [16, 17, 18]
    assert "['drive', 'size']" in found[0][1]


def test_imported_but_unused_message_does_not_count() -> None:
    tree = ast.parse("from wizard.test import words\nfrom wizard.test.words import OTHER\nwords.ROOM(size=1)")
    assert {*said_in(tree, Names.of("wizard.test.room", tree, KNOWN))} == {"ROOM"}


@pytest.mark.parametrize(
    ("spoken", "fault"),
    [
        (Spoken("A", ("Fine {size:size}.",), given=("sizes",)), "is given ['sizes']"),
        (Spoken("A", ("Fine {size:sise}.",)), "no format 'sise'"),
        (Spoken("A", ("word " * 20 + "more.",)), "20 words"),
    ],
)
def test_errors_in_a_message_are_reported(spoken: Spoken, fault: str) -> None:
    assert [fault in one for one in faults_of(spoken)] == [True]


def test_sound_message_has_no_fault() -> None:
    assert not list(faults_of(Spoken("A", ("word " * 19 + "end. {size:size} {part:.1f}",))))


def test_list_of_remaining_texts_is_exact() -> None:
    counts = Counter({"a.py": 2, "b.py": 1, "c.py": 1})
    assert [
        fault.split(":")[0] for fault in compared(counts, {"a.py": 1, "b.py": 2, "c.py": 1, "d.py": 1})
    ] == [
        "a.py",
        "b.py",
        "d.py",
    ]
