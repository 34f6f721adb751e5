"""The glossary: lookup by any spelling, agreement with the program, and the user's own entries."""

import json
import re
from pathlib import Path

import pytest

from wizard.advice.evidence import find_term, load_glossary, search_terms, terms_in
from wizard.cli.main import main
from wizard.documents.profiles import BUNDLED
from wizard.model.errors import BadInput, ExitCode

MINE = """[[terms]]
id = "{id}"
term = "{term}"
text = "{text}"
source = "my own head"
"""

BROUGHT_ALONG = {"Advanced Format", "read-modify-write"}
"""Words of data sheets and of books, which explain what diskwright says."""


def own_file(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> Path:
    path = folder / "diskwright" / "glossary" / "mine.toml"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
    return path


def test_every_term_is_used_by_the_program() -> None:
    sources = [*(BUNDLED.parent / "wizard").rglob("*.py"), *BUNDLED.rglob("*.toml")]
    said = "\n".join(
        " ".join(re.sub(r'"\s+f?"', "", path.read_text()).split())
        for path in sources
        if "glossary" not in path.parts and path.name != "glossary.py"
    ).casefold()
    unused = [
        term.term.english
        for term in load_glossary()
        if not any(
            re.search(rf"\b{re.escape(spelling.casefold())}\b", said)
            for spelling in term.spellings
            if spelling[0].isalnum()
        )
    ]
    assert set(unused) <= BROUGHT_ALONG


def test_each_text_is_one_to_three_sentences() -> None:
    for term in load_glossary():
        assert term.text.english.endswith("."), term.id
        assert len(re.findall(r"[.?](?: |$)", term.text.english)) <= 3, term.id


@pytest.mark.parametrize(
    ("asked", "term"),
    [
        ("512E", "512e"),
        ("stripe   width", "stripe width"),
        ("shingled", "SMR"),
        ("VG", "PV"),
        ("TRIM", "discard"),
        ("sw", "su"),
    ],
)
def test_term_is_found_in_any_spelling(asked: str, term: str) -> None:
    assert str(find_term(asked).term) == term


def test_unknown_term_suggests_similar_terms() -> None:
    with pytest.raises(BadInput, match=r"'noatim' is not in the glossary.*noatime"):
        find_term("noatim")
    with pytest.raises(BadInput, match=r"'zzzzzz' is not in the glossary\.$"):
        find_term("zzzzzz")
    with pytest.raises(BadInput, match=r"\\x1b\[31m"):
        find_term("\x1b[31m")


def test_search_lists_prefix_matches_first() -> None:
    names = [str(term.term) for term in search_terms("str", load_glossary())]
    assert names[0] == "stride" and set(names) >= {"stripe width", "RAID0"}
    assert "write cliff" in [str(term.term) for term in search_terms("CLIFF", load_glossary())]
    assert search_terms(" ", load_glossary()) == list(load_glossary())


def test_terms_in_text_are_whole_words_in_order() -> None:
    text = (
        "A 512e drive:\n  the stripe\n width is wrong, /dev/label and --run say nothing, and a prerun "
        "neither. MBR!"
    )
    assert [str(term.term) for term in terms_in(text, load_glossary())] == ["512e", "stripe width", "MBR"]


def test_user_file_adds_and_replaces_terms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    both = MINE.format(id="smr", term="SMR", text="Mine.") + MINE.format(
        id="bcache", term="bcache", text="A cache."
    )
    own_file(tmp_path, monkeypatch, both)
    assert str(find_term("smr").text) == "Mine." and str(find_term("bcache").source) == "my own head"
    with pytest.raises(BadInput):
        find_term("shingled magnetic recording")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            MINE.format(id="x", term="GPT", text="Mine."),
            "'GPT' is already defined by the term with the id 'gpt'",
        ),
        (MINE.format(id="x", term=" ", text="Mine."), r"line 3, terms 1, `term`: write one line"),
        (MINE.format(id="x", term="x", text="a" * 401), r"line 4, terms 1, `text`: write one line"),
        (MINE.format(id="X Y", term="x", text="a"), r"line 2, terms 1, `id`: 'X Y' is not a valid id"),
        ("[[terms]]\nid = 'x'\n", "missing"),
    ],
)
def test_error_names_its_line(text: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = own_file(tmp_path, monkeypatch, text)
    with pytest.raises(BadInput, match=said) as error:
        load_glossary()
    assert str(path) in str(error.value)


def test_command_prints_one_term_or_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["glossary", "stripe", "width"]) == ExitCode.DONE
    one = capsys.readouterr().out
    assert one.startswith("stripe width\nAlso: ") and "Source: mke2fs(8)" in one and "512e" not in one
    assert main(["glossary"]) == ExitCode.DONE
    every = capsys.readouterr().out
    assert one in every and max(map(len, every.splitlines())) <= 80
    assert all(term.text.english.split()[0] in every for term in load_glossary())
    assert main(["glossary", "--json", "512e"]) == ExitCode.DONE
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "diskwright.glossary/1" and [term["id"] for term in document["terms"]] == [
        "512e"
    ]


def test_unknown_term_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["glossary", "nonsense"]) == ExitCode.USAGE
    assert "'nonsense' is not in the glossary." in capsys.readouterr().err
