"""`python -m tests.prose [--renew]`: check the messages of the program.

- Text for users in wizard/ is an argument of `t`, `tn`, `Sentence` or `Sentences`. Other text that looks like
  a message, such as a command, is counted by module in tests/prose.txt; counts may only fall. --renew updates
  the file.
- Each message has valid formats, and no sentence of more than 20 words.
- Each call gives exactly the fields of its message.
- Each message with a name is used.
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
MESSAGES = frozenset({"t", "tn", "Sentence", "Sentences"})
PLACE = "\N{WHITE SQUARE}"
"""Stands for a value in an f-string."""
SILENT = frozenset(
    {"note", "compile", "fullmatch", "match", "search", "sub", "findall", "split", "finditer"}
    | {"Argument", "_names"}
)
"""Functions called with text that is no message: for the debug log, patterns, command lines,
options and names."""
NOT_READ = (
    *("<", "/*", "diskwright ", "sudo diskwright ", "cryptsetup ", "dmzadm ", "e2fsck ", "keep --", "mdadm "),
    *("vgchange ", "label: ", "path ", "kind ", "count ", "same_serial ", "features "),
)
"""How markup, C, command lines, the input of sfdisk and lists of fields begin."""
FAULTS = frozenset(
    {"AssertionError", "KeyError", "NotImplementedError", "RuntimeError", "TypeError", "ValueError"}
)
"""Exceptions for mistakes in the program itself."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """A message in a module, with its constant's `name`. `given`: the values of the same call, or None if
    called elsewhere."""

    name: str
    texts: tuple[str, ...]
    line: int = 0
    given: tuple[str, ...] | None = None

    @property
    def fields(self) -> frozenset[str]:
        """Fields of the message, like `Sentence.fields`."""
        return frozenset[str]().union(*map(fields_of, self.texts)) | (
            {"count"} if len(self.texts) > 1 else set()
        )


def is_prose(text: str) -> bool:
    """Return True for text that users could read: three words or more, one of which may be a value."""
    words = [word.strip("\"'`.,:;()?!") for word in text.split()]
    spoken = sum(len(word) > 0 and word.replace("-", "").isalpha() and word.isascii() for word in words)
    return spoken >= 2 and spoken + text.count(PLACE) >= 3 and not text.startswith(NOT_READ)


def prose_of(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and text of every string in a module that looks like a message but is not."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return  # a docstring
    if isinstance(node, ast.Call) and _called(node) in SILENT:
        return
    if isinstance(node, ast.Call) and _called(node) in MESSAGES:
        for keyword in node.keywords:
            yield from prose_of(keyword)
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
        yield from prose_of(child)


def _called(node: ast.Call) -> str:
    return getattr(node.func, "id", getattr(node.func, "attr", ""))


def _text(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) or PLACE for part in node.values)
    return None


def spoken_in(tree: ast.Module) -> Iterator[Spoken]:
    """Yield the messages of a module."""
    names = {id(node.value): node.targets[0] for node in tree.body if isinstance(node, ast.Assign)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node) in MESSAGES:
            texts = tuple(str(one.value) for one in node.args if isinstance(one, ast.Constant))
            if not texts:
                continue  # the definition of `t` itself
            given = tuple(keyword.arg or "**" for keyword in node.keywords)
            is_made = _called(node) in ("t", "tn")
            yield Spoken(
                getattr(names.get(id(node)), "id", ""), texts, node.lineno, given if is_made else None
            )


def faults_of(spoken: Spoken) -> Iterator[str]:
    """Yield the faults of a message."""
    if spoken.given is not None and sorted(spoken.given) != sorted(spoken.fields):
        yield f"it names {sorted(spoken.fields)}, and is given {sorted(spoken.given)}: {spoken.texts[0]}"
    for text in spoken.texts:
        for form in re.findall(r"\{\w+:([^}]*)\}", text):
            if form not in FORMATS and not re.fullmatch(r"[,+]?\d*(\.\d+)?[dfg]?", form):
                yield f"there is no format {form!r}: {text}"
        for sentence in long_sentences(text):
            yield f"more than {MOST_WORDS} words: {sentence}"


def long_sentences(text: str) -> list[str]:
    """Return the sentences with too many words."""
    return [one for one in re.split(r"(?<=[.?!]) ", text) if len(one.split()) > MOST_WORDS]


def faults_of_profiles(texts: Iterable[Written]) -> Iterator[str]:
    """Return the faults in texts of profiles."""
    for one in texts:
        for sentence in long_sentences(one.text):
            yield f"profiles/{one.file}: {one.key}: more than {MOST_WORDS} words: {sentence}"


@dataclass(frozen=True, slots=True)
class Names:
    """Names of messages, and of modules with messages, in a module. `known`: all messages by module and
    constant."""

    named: dict[str, Spoken]
    modules: dict[str, dict[str, Spoken]]

    @classmethod
    def of(cls, module: str, tree: ast.Module, known: dict[str, dict[str, Spoken]]) -> "Names":
        """Read the names from the imports and the module."""
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
        """Return the message that an expression refers to."""
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            return self.named.get(node.id)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            return self.modules.get(node.value.id, {}).get(node.attr)
        return None


def said_in(tree: ast.Module, names: Names) -> Iterator[str]:
    """Yield the constants of messages used by a module."""
    yield from (spoken.name for node in ast.walk(tree) if (spoken := names.sentence(node)))


def wrong_calls(tree: ast.Module, names: Names) -> Iterator[tuple[int, str]]:
    """Yield line and fault of each message called with other values than its fields."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (spoken := names.sentence(node.func)):
            given = [keyword.arg or "**" for keyword in node.keywords] + ["*" for _ in node.args]
            if sorted(given) != sorted(spoken.fields):
                yield (
                    node.lineno,
                    f"{spoken.name} names {sorted(spoken.fields)}, and is given {sorted(given)}",
                )


def compared(counts: Counter[str], listed: dict[str, int]) -> Iterator[str]:
    """Return the differences from the list."""
    for path in sorted(counts.keys() | listed.keys()):
        now, before = counts[path], listed.get(path, 0)
        if now > before:
            yield f"{path}: {now} texts that are no message, where {before} were: use `t`"
        elif now < before:
            yield f"{path}: {now} texts that are no message, where {before} are listed: run with --renew"


def read_list() -> dict[str, int]:
    """Return the modules in the list, with their counts."""
    rows = (line.split() for line in LIST.read_text(encoding="utf-8").splitlines()) if LIST.exists() else ()
    return {path: int(count) for count, path in rows}


def _module(path: Path) -> str:
    return ".".join(path.relative_to(REPO).with_suffix("").parts)


def main() -> None:
    """Print all faults. With --renew, first write lower counts, or all counts if the list is missing."""
    trees = {
        path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted((REPO / "wizard").rglob("*.py"))
    }
    counts = Counter[str]()
    known: dict[str, dict[str, Spoken]] = {}
    wrong = []
    for path, tree in trees.items():
        module = _module(path)
        counts[str(path.relative_to(REPO))] += sum(1 for _ in prose_of(tree))
        spoken = list(spoken_in(tree))
        named = {one.name: one for one in spoken if one.name and one.given is None}
        if named:
            known[module] = named
        at = path.relative_to(REPO)
        wrong += [f"{at}:{one.line}: {fault}" for one in spoken for fault in faults_of(one)]
    said = set[str]()
    for path, tree in trees.items():
        names = Names.of(_module(path), tree, known)
        said |= {*said_in(tree, names)}
        wrong += [f"{path.relative_to(REPO)}:{line}: {fault}" for line, fault in wrong_calls(tree, names)]
    wrong += [
        f"{module}: nobody uses {name}"
        for module, named in known.items()
        for name in named
        if name not in said
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
    print(f"{sum(counts.values())} texts are no message still.")


if __name__ == "__main__":
    main()
