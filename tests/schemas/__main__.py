"""`python -m tests.schemas [--check]`: write docs/schemas/ from the program."""

import json
import sys
from collections.abc import Iterator

from tests.readme import REPO
from tests.schemas.documents import DOCUMENTS

FOLDER = REPO / "docs" / "schemas"
COMMAND = "python -m tests.schemas"
HEAD = """# The documents

What diskwright writes as JSON, and prints with `--json`, each with its JSON Schema. A document names its
schema and the version of it, as `diskwright.plan/2`.

A sentence is an object of `code` and `values`. Sizes are in bytes, in keys that end in `_bytes`. A schema is
named by a URN, and refers to nothing outside itself. `tests/run --python -m tests.schemas` makes this folder
from the code.

| document | what | comes from |
|---|---|---|
"""


def files() -> Iterator[tuple[str, str]]:
    """Return every file of the folder with its text."""
    rows = (f"| [`{one.name}`]({one.file}) | {one.title} | {one.comes_from} |\n" for one in DOCUMENTS)
    yield "README.md", HEAD + "".join(rows)
    for one in DOCUMENTS:
        yield one.file, json.dumps(one.schema, indent=1) + "\n"


def main() -> None:
    """Write changed files. With --check, write nothing and exit with an error if any changed."""
    wanted = dict(files())
    there = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()}
    changed = sorted(name for name in wanted.keys() | there.keys() if wanted.get(name) != there.get(name))
    if "--check" in sys.argv:
        if changed:
            raise SystemExit(f"docs/schemas/ is out of date ({', '.join(changed)}): run {COMMAND}")
        return
    for name in changed:
        if name in wanted:
            (FOLDER / name).write_text(wanted[name], encoding="utf-8")
        else:
            (FOLDER / name).unlink()


if __name__ == "__main__":
    main()
