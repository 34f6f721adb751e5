"""Count the size and the shape of the program."""

from __future__ import annotations

import ast
import io
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import grimp

PROGRAM = "wizard"
WORDS_PER_STRING = 8
"""So many characters of a string count as one token: text moved between code and data changes nothing."""
TEXT_FILES = frozenset({".toml", ".json"})
MESSAGES = frozenset({"t", "tn", "Sentence", "Sentences"})
CODE = (tokenize.NAME, tokenize.NUMBER, tokenize.OP)


@dataclass(frozen=True, slots=True)
class Module:
    """A module of the program: its dotted name, text and tree."""

    name: str
    path: Path
    text: str
    tree: ast.Module

    @property
    def is_package(self) -> bool:
        return self.path.name == "__init__.py"


def read_modules(root: Path) -> tuple[Module, ...]:
    """Read every module of the program in a project."""
    found = []
    for path in sorted((root / PROGRAM).rglob("*.py")):
        text = path.read_text()
        name = ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
        found.append(Module(name, path, text, ast.parse(text)))
    return tuple(found)


def measure(root: Path) -> dict[str, int]:
    """Return each gauge by its name."""
    modules = read_modules(root)
    lines = sum(module.text.count("\n") for module in modules)
    imported = sum(_imported_names(module) for module in modules)
    classes = Counter(node.name for node in _top_level(modules) if isinstance(node, ast.ClassDef))
    files = Counter(module.path.name for module in modules if not module.is_package)
    sentences = [text for module in modules for text in sentences_of(module.tree)]
    return {
        "tokens": sum(_tokens(module.text) for module in modules) + _profile_tokens(root),
        "program lines": lines,
        "program files": len(modules),
        "test lines": sum(path.read_text().count("\n") for path in (root / "tests").rglob("*.py")),
        "imported names": imported,
        "imported names per 1000 lines": round(1000 * imported / lines),
        "public functions and classes": sum(not node.name.startswith("_") for node in _top_level(modules)),
        "sentences": len(sentences),
        "words in sentences": sum(len(text.split()) for text in sentences),
        "class names used twice": sum(count > 1 for count in classes.values()),
        "file names used twice": sum(count > 1 for count in files.values()),
        "import cycles": len(import_cycles()),
    }


def import_cycles() -> set[frozenset[str]]:
    """Return the groups of modules that import each other, directly or through others."""
    graph = grimp.build_graph(PROGRAM, cache_dir=None)
    needs = {module: graph.find_upstream_modules(module) for module in graph.modules}
    groups = (
        frozenset({module, *(other for other in above if module in needs[other])})
        for module, above in needs.items()
    )
    return {group for group in groups if len(group) > 1}


def sentences_of(tree: ast.Module) -> Iterator[str]:
    """Yield the English texts of every message."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node) in MESSAGES:
            texts = [
                arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)
            ]
            if texts:
                yield " ".join(texts)


def _called(node: ast.Call) -> str:
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _imported_names(module: Module) -> int:
    """Count the names that a module takes from others of the program."""
    names = 0
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom) and (node.level or (node.module or "").split(".")[0] == PROGRAM):
            names += len(node.names)
        elif isinstance(node, ast.Import):
            names += sum(alias.name.split(".")[0] == PROGRAM for alias in node.names)
    return names


def _top_level(
    modules: tuple[Module, ...],
) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    for module in modules:
        for node in module.tree.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield node


def _tokens(text: str) -> int:
    count = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in CODE:
            count += 1
        elif token.type == tokenize.STRING or tokenize.tok_name[token.type].startswith("FSTRING"):
            count += 1 + len(token.string) // WORDS_PER_STRING
    return count


def _profile_tokens(root: Path) -> int:
    paths = (path for path in (root / "profiles").rglob("*") if path.suffix in TEXT_FILES)
    return sum(len(path.read_text()) // WORDS_PER_STRING for path in paths)
