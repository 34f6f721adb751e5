"""Random damage to the files of a run: bits, truncation, values, file types, names."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

GARBAGE = (b"", b"null", b"[]", b"{}", b'"text"', b"\xff\xfe\x00", b"\0" * 5000, b"[" * 100_000, b"1" * 5000)
VALUES: tuple[object, ...] = (
    *(None, True, -1, 10**30, 1e308, float("nan"), "", "x" * 100_000, "\0\x1b[2J", "../../etc/passwd"),
    *([], {}, [[]], {"a": 1}, "clearing", "barred", "released", "kept", "undone", "saved", "rehearsing"),
)
"""Put in the place of any value of a document, of a phase among them."""


def corrupt(run: Path, other: Path, dice: Random) -> str:
    """Damage one or two files of a run, and return a description. `other` is the folder of another run."""
    return ", ".join(_damaged(run, other, dice) for _ in range(dice.choice((1, 1, 2))))


def _damaged(run: Path, other: Path, dice: Random) -> str:
    files = sorted(path for path in run.rglob("*") if path.is_file() and not path.is_symlink())
    if not files:
        return "no file is left"
    file = dice.choice(files)
    how = dice.choice(WAYS)
    how(file, other / file.relative_to(run), dice)
    return f"{how.__name__} {file.relative_to(run)}"


def _flipped(file: Path, _: Path, dice: Random) -> None:
    opened = os.open(file, os.O_RDWR)
    size = os.fstat(opened).st_size
    for _number in range(dice.choice((1, 1, 8))):
        at = _somewhere(opened, size, dice)
        byte = os.pread(opened, 1, at) or b"\0"
        os.pwrite(opened, bytes([byte[0] ^ 1 << dice.randrange(8)]), at)
    os.close(opened)


def _somewhere(fd: int, size: int, dice: Random) -> int:
    """Return a random offset, in the data of a sparse file if possible."""
    at = dice.randrange(size) if size else 0
    try:
        return os.lseek(fd, at, os.SEEK_DATA)
    except OSError:
        return at


def _cut_short(file: Path, _: Path, dice: Random) -> None:
    size = file.stat().st_size
    os.truncate(file, dice.randrange(size) if size else 0)


def _made_longer(file: Path, _: Path, dice: Random) -> None:
    with file.open("ab") as opened:
        opened.write(dice.choice((b"\n", b"{}\n", b"\0" * 512, dice.randbytes(700))))


def _garbage(file: Path, _: Path, dice: Random) -> None:
    file.write_bytes(dice.choice(GARBAGE))


def _noise(file: Path, _: Path, dice: Random) -> None:
    file.write_bytes(dice.randbytes(dice.choice((1, 700, 70_000))))


def _gone(file: Path, _: Path, dice: Random) -> None:
    file.unlink()


def _a_folder(file: Path, _: Path, dice: Random) -> None:
    file.unlink()
    file.mkdir()


def _dangling(file: Path, _: Path, dice: Random) -> None:
    file.unlink()
    file.symlink_to(dice.choice(("nowhere", file.name)))


def _of_another(file: Path, other: Path, dice: Random) -> None:
    if other.is_file():
        shutil.copyfile(other, file)
    else:
        file.unlink()


def _another_value(file: Path, _: Path, dice: Random) -> None:
    """Change a value in a document or in a journal line. Write noise to other files."""
    if file.suffix not in (".json", ".jsonl"):
        return _noise(file, _, dice)
    text = file.read_text(errors="surrogateescape")
    lines = text.splitlines() if file.suffix == ".jsonl" else [text]
    number = dice.randrange(len(lines)) if lines else 0
    try:
        document = json.loads(lines[number])
    except (ValueError, IndexError):
        return _noise(file, _, dice)
    _change(document, dice)
    lines[number] = json.dumps(document)
    file.write_text("\n".join(lines) + "\n", errors="surrogateescape")


def _change(document: object, dice: Random) -> None:
    """Replace, delete or duplicate one random value."""
    places: list[tuple[dict[str, object] | list[object], str | int]] = []

    def walk(value: object) -> None:
        if isinstance(value, dict):
            places.extend((value, key) for key in value)
            for inner in value.values():
                walk(inner)
        elif isinstance(value, list):
            places.extend((value, at) for at in range(len(value)))
            for inner in value:
                walk(inner)

    walk(document)
    if not places:
        return
    holder, key = dice.choice(places)
    if dice.random() < 0.3:
        del holder[key]  # type: ignore[arg-type]
    elif isinstance(holder, list) and dice.random() < 0.3:
        holder.append(holder[0])
    else:
        holder[key] = dice.choice(VALUES)  # type: ignore[index]


WAYS: tuple[Callable[[Path, Path, Random], None], ...] = (
    *(_flipped, _flipped, _cut_short, _made_longer, _garbage, _noise, _gone, _a_folder, _dangling),
    *(_of_another, _another_value, _another_value, _another_value, _another_value),
)
