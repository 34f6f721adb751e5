"""`python -m tests.prose [--renew]`: whether all that is said to a person is data, and said as it was meant.

- Prose in wizard/ stands in a `Sentence` of a module `words`. What else looks like it, such as a command, is
  counted by module in tests/prose.txt; a count may only fall. --renew writes what fell; what rose, convert.
- Each sentence has a code of its own room, formats that exist, and no more than 20 words.
- Each call of a sentence gives exactly its fields.
- Each sentence is said somewhere.
- No sentence of a bundled profile has more than 20 words.
"""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.profiletexts import Written, written_in
from wizard.model.said import FORMATS, fields_of

REPO = Path(__file__).resolve().parent.parent
LIST = REPO / "tests/prose.txt"
MOST_WORDS = 20
PLACE = "\N{WHITE SQUARE}"
"""Stands for a value in an f-string."""
SILENT = frozenset({"note", "compile", "fullmatch", "match", "search", "sub", "findall", "split", "finditer"})
"""What is called with text that nobody is told: the debug log, and patterns."""
FAULTS = frozenset(
    {"AssertionError", "KeyError", "NotImplementedError", "RuntimeError", "TypeError", "ValueError"}
)
"""Exceptions for mistakes in the program itself."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """A `Sentence` as it stands in a module; `name` is its constant."""

    name: str
    code: str
    texts: tuple[str, ...]

    @property
    def fields(self) -> frozenset[str]:
        """As `Sentence.fields`."""
        return frozenset[str]().union(*map(fields_of, self.texts)) | (
            {"count"} if len(self.texts) > 1 else set()
        )


def is_prose(text: str) -> bool:
    """Whether somebody could say it: three words, of which one may be a value."""
    words = [word.strip("\"'`.,:;()?!") for word in text.split()]
    spoken = sum(len(word) > 0 and word.replace("-", "").isalpha() and word.isascii() for word in words)
    return spoken >= 2 and spoken + text.count(PLACE) >= 3 and not text.startswith(("<", "/*"))


def is_words(module: Path) -> bool:
    """Whether it is a place for sentences."""
    return module.name in ("words.py", "said.py") or module.parent.name == "words"


def prose_of(node: ast.AST, *, words: bool) -> Iterator[tuple[int, str]]:
    """Line and text of all that is said in a module and no `Sentence`; `words` are the place for those."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return  # a docstring
    if isinstance(node, ast.Call) and (_called(node) in SILENT or (words and _called(node) == "Sentence")):
        return
    if isinstance(node, ast.Assert) or (
        isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and _called(node.exc) in FAULTS
    ):
        return
    if isinstance(node, ast.keyword) and node.arg == "metavar":
        return
    text = _text(node)
    if text is not None and is_prose(text):
        yield getattr(node, "lineno", 0), text
        return
    for child in ast.iter_child_nodes(node):
        yield from prose_of(child, words=words)


def _called(node: ast.Call) -> str:
    return getattr(node.func, "id", getattr(node.func, "attr", ""))


def _text(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) or PLACE for part in node.values)
    return None


def spoken_in(tree: ast.Module) -> Iterator[Spoken]:
    """The sentences of a module, also those without a constant of their own."""
    names = {id(node.value): node.targets[0] for node in tree.body if isinstance(node, ast.Assign)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node) == "Sentence":
            code, *texts = map(ast.literal_eval, node.args)
            yield Spoken(getattr(names.get(id(node)), "id", ""), code, tuple(texts))


def faults_of(spoken: Spoken, room: str) -> Iterator[str]:
    """What is wrong with a sentence itself; `room` as in `layout.steps`."""
    if spoken.code.rpartition(".")[0] != room:
        yield f"{spoken.code}: the code of {spoken.name} begins with {room}."
    for text in spoken.texts:
        for form in re.findall(r"\{\w+:([^}]*)\}", text):
            if form not in FORMATS and not re.fullmatch(r"[,+]?\d*(\.\d+)?[dfg]?", form):
                yield f"{spoken.code}: there is no format {form!r}"
        for sentence in long_sentences(text):
            yield f"{spoken.code}: more than {MOST_WORDS} words: {sentence}"


def long_sentences(text: str) -> list[str]:
    """Those of a text that have too many words."""
    return [one for one in re.split(r"(?<=[.?!]) ", text) if len(one.split()) > MOST_WORDS]


def faults_of_profiles(texts: Iterable[Written]) -> Iterator[str]:
    """What is wrong with the texts of profiles."""
    for one in texts:
        for sentence in long_sentences(one.text):
            yield f"profiles/{one.file}: {one.key}: more than {MOST_WORDS} words: {sentence}"


@dataclass(frozen=True, slots=True)
class Names:
    """What a module calls sentences, and modules of them. `known` is all sentences, by module, then by
    constant."""

    named: dict[str, Spoken]
    modules: dict[str, dict[str, Spoken]]

    @classmethod
    def of(cls, module: str, tree: ast.Module, known: dict[str, dict[str, Spoken]]) -> "Names":
        """By its imports; its own sentences count as well."""
        names = cls(dict(known.get(module, {})), {})
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    if alias.name in known.get(node.module, {}):
                        names.named[alias.asname or alias.name] = known[node.module][alias.name]
                    if (other := f"{node.module}.{alias.name}") in known:
                        names.modules[alias.asname or alias.name] = known[other]
        return names

    def sentence(self, node: ast.AST) -> Spoken | None:
        """The one that is meant by an expression."""
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            return self.named.get(node.id)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            return self.modules.get(node.value.id, {}).get(node.attr)
        return None


def said_in(tree: ast.Module, names: Names) -> Iterator[str]:
    """The codes of the sentences that a module makes use of."""
    yield from (spoken.code for node in ast.walk(tree) if (spoken := names.sentence(node)))


def wrong_calls(tree: ast.Module, names: Names) -> Iterator[tuple[int, str]]:
    """Line and fault of each sentence that is called with other values than it names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (spoken := names.sentence(node.func)):
            given = [keyword.arg or "**" for keyword in node.keywords] + ["*" for _ in node.args]
            if sorted(given) != sorted(spoken.fields):
                yield (
                    node.lineno,
                    f"{spoken.code} names {sorted(spoken.fields)}, and is given {sorted(given)}",
                )


def compared(counts: Counter[str], listed: dict[str, int]) -> Iterator[str]:
    """What differs from the list."""
    for path in sorted(counts.keys() | listed.keys()):
        now, before = counts[path], listed.get(path, 0)
        if now > before:
            yield f"{path}: {now} sentences outside of `words`, where {before} were: make them a Sentence"
        elif now < before:
            yield f"{path}: {now} sentences outside of `words`, where {before} are listed: run with --renew"


def read_list() -> dict[str, int]:
    """The modules that are not converted yet, with their counts."""
    rows = (line.split() for line in LIST.read_text(encoding="utf-8").splitlines()) if LIST.exists() else ()
    return {path: int(count) for count, path in rows}


def _module(path: Path) -> str:
    return ".".join(path.relative_to(REPO).with_suffix("").parts)


def main() -> None:
    """Tell all that is wrong. With --renew counts that fell are written first; without a list, all are."""
    trees = {
        path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted((REPO / "wizard").rglob("*.py"))
    }
    counts = Counter[str]()
    known: dict[str, dict[str, Spoken]] = {}
    wrong = []
    for path, tree in trees.items():
        module = _module(path)
        counts[str(path.relative_to(REPO))] += sum(1 for _ in prose_of(tree, words=is_words(path)))
        if is_words(path) and (spoken := list(spoken_in(tree))):
            known[module] = {one.name: one for one in spoken}
            room = module.removeprefix("wizard.").replace(".words", "")
            wrong += [fault for one in spoken for fault in faults_of(one, room)]
    said = set[str]()
    for path, tree in trees.items():
        names = Names.of(_module(path), tree, known)
        said |= {*said_in(tree, names)}
        wrong += [f"{path.relative_to(REPO)}:{line}: {fault}" for line, fault in wrong_calls(tree, names)]
    wrong += [
        f"{one.code}: nobody says it"
        for spoken in known.values()
        for one in spoken.values()
        if one.name and one.code not in said
    ]
    wrong += faults_of_profiles(written_in())
    listed = read_list()
    if "--renew" in sys.argv:
        listed = {
            path: min(count, listed.get(path, 0) if listed else count) for path, count in (+counts).items()
        }
        rows = [f"{count} {path}\n" for path, count in listed.items() if count]
        LIST.write_text("".join(rows), encoding="utf-8")
    wrong += compared(counts, listed)
    if wrong:
        raise SystemExit("\n".join(wrong))
    print(f"{sum(counts.values())} sentences are outside of `words` still.")


if __name__ == "__main__":
    main()
