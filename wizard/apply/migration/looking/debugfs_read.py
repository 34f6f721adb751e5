"""Reading single files of an ext filesystem that nobody has mounted, without mounting it: debugfs opens it
for reading only, and without its bitmaps, which are large (debugfs(8), -c)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from wizard.apply.run.environment import LOOK_SECONDS
from wizard.model.errors import Failed
from wizard.model.said import Sentence
from wizard.tools.program import run
from wizard.tools.scratch import scratch_folder

FILE_NOT_READ = Sentence("{path} on {node} cannot be read:")

READ = ("debugfs", "-c")
PROMPT = "debugfs: "
LARGEST_BYTES = 1 << 20
"""Of a file that is read whole."""

_KIND, _SIZE, _LINKS = (re.compile(rf"\b{what}: (\w+)") for what in ("Type", "Size", "Links"))


@dataclass(frozen=True, slots=True)
class Inside:
    """A file on the filesystem: `regular`, `directory`, `symlink` or what else debugfs calls it, its size,
    and how many names it has."""

    kind: str
    size_bytes: int
    links: int


def seen_inside(node: str, paths: Sequence[str]) -> Mapping[str, Inside]:
    """Those of the paths that are there; they hold no spaces. Raises Failed where debugfs is missing or does
    not end."""
    asked = "".join(f"stat {path}\n" for path in paths).encode()
    said = run((*READ, "-f", "-", node), seconds=LOOK_SECONDS, stdin=asked, accept=range(256)).output
    found = {}
    for told in said.split(PROMPT)[1:]:
        command, _, rest = told.partition("\n")
        kind, size, links = _KIND.search(rest), _SIZE.search(rest), _LINKS.search(rest)
        if kind and size and links:
            found[command.removeprefix("stat ")] = Inside(kind[1], int(size[1]), int(links[1]))
    return found


def text_inside(node: str, path: str) -> str:
    """The text of a regular file; bytes that are no UTF-8 survive. Raises Failed where it cannot be read."""
    with TemporaryDirectory(dir=scratch_folder()) as folder:
        copy = Path(folder) / "copy"
        said = run((*READ, "-R", f'dump {path} "{copy}"', node), seconds=LOOK_SECONDS, accept=range(256))
        try:
            return copy.read_bytes().decode("utf-8", "surrogateescape")
        except OSError:
            raise Failed(f"{FILE_NOT_READ(path=path, node=node)} {said.last_words}") from None
