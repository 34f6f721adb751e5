"""Texts of profiles: in the template, translated, as written, and in documents."""

import json

import pytest

from tests.profiletexts import Written, written_in
from tests.prose import faults_of_profiles
from tests.translation import REPO, fault_of, pseudo, template
from tests.unit.advice.ownprofiles import Write, writing
from wizard.advice.catalogue import load_catalogue
from wizard.advice.evidence import find_term, load_glossary, terms_in
from wizard.advice.request import is_danger
from wizard.cli.main import main
from wizard.documents.codec import to_json
from wizard.documents.decode import Misfit, decode
from wizard.model.said import NO_TEXT, PROFILES, Message, ProfileText, Sentence, in_english, join

NAMES = Sentence("It says: {text}")
RED = str(REPO / "tests/machines/red.json")


def test_text_is_translated_if_the_catalogue_has_it(pseudo_language: None) -> None:
    noatime = load_catalogue()["noatime"]
    assert str(noatime.why) == pseudo(noatime.why.english)
    assert str(ProfileText("Mine {alone}, 100 %o.")) == "Mine {alone}, 100 %o."
    assert str(NO_TEXT) == "" and not NO_TEXT and noatime.why


def test_text_is_complete_and_has_no_escapes_in_a_sentence() -> None:
    long = ProfileText("word " * 100 + "\x1b[31m {x}")
    assert str(NAMES(text=long)).endswith("word ?[31m {x}")
    assert in_english(join(ProfileText("One."), long)) == f"One. {long.english}"


def test_every_bundled_text_is_in_the_template_once() -> None:
    texts = [message.id for message in template() if message.context == PROFILES]
    assert set(texts) == {written.text for written in written_in()} and len(texts) > 500
    assert len(texts) == len(set(texts))
    assert not [message for message in template() if "python-format" in message.flags]


def test_braces_in_a_text_are_not_fields() -> None:
    from babel.messages.catalog import Message as CatalogMessage

    assert not fault_of(CatalogMessage("A {brace and }", "Eine {Klammer", context=PROFILES))
    assert pseudo("A {brace", named=False) == "⟦Á {bráçé~~⟧"


def test_long_sentence_in_a_profile_is_detected() -> None:
    texts = (Written("a.toml", "sentence", f"Short. {'word ' * 21}"), Written("b.toml", "why", "word " * 20))
    assert [fault.split(":")[0] for fault in faults_of_profiles(texts)] == ["profiles/a.toml"]


def test_document_is_in_english(pseudo_language: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert to_json(NAMES(text=ProfileText("It is.")))["values"] == {"text": "It is."}
    assert decode("It is.", ProfileText) == ProfileText("It is.")
    with pytest.raises(Misfit):
        decode(7, ProfileText)
    for asked in (
        ("options", "ext4", "--machine", RED),
        ("workloads",),
        ("glossary",),
    ):
        assert main([*asked, "--json"]) == 0
        assert "\\u27e6" not in capsys.readouterr().out, asked
    assert main(["advise", "/dev/sdb", "--workload", "small-files", "--machine", RED, "--json"]) == 0
    advice = json.loads(capsys.readouterr().out)
    told = [[one[key] for key in ("sentence", "evidence", "mkfs", "withheld")] for one in advice["choices"]]
    assert "⟦" not in json.dumps([advice["workload"], told], ensure_ascii=False)


def test_profile_texts_are_messages_and_keys() -> None:
    one, two = ProfileText("One."), ProfileText("Two.")
    assert isinstance(one, Message) and len({one, ProfileText("One."), two}) == 2


def test_danger_is_typed_as_shown_or_in_english(pseudo_language: None) -> None:
    journal = load_catalogue()["ext4-no-journal"]
    assert is_danger(journal, journal.phrase.english) and is_danger(journal, str(journal.phrase))
    assert str(journal.phrase) != journal.phrase.english and not is_danger(journal, "")


def test_term_is_found_in_either_language(pseudo_language: None) -> None:
    assert find_term("noatime").id == find_term(pseudo("noatime")).id == "noatime"
    assert [term.id for term in terms_in(f"Mit {pseudo('stripe width')} und RAID0.", load_glossary())][
        :1
    ] == ["stripe-width"]


def test_user_text_is_shown_as_written(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, pseudo_language: None
) -> None:
    write: Write = writing(tmp_path_factory.mktemp("own"), monkeypatch)
    write("glossary/mine.toml", '[[terms]]\nid = "zz"\nterm = "zz"\ntext = "A {brace."\nsource = "me"\n')
    assert str(find_term("zz").text) == "A {brace."
