"""Loads of FileBench: webproxy, fileserver, varmail and videoserver. In webproxy, a hundred threads write and
read a cache in one folder, with one log."""

from collections.abc import Sequence
from functools import partial

from wizard.benchmark.loads.load import Load, LoadPhase, Unit, gamma_size, scaled
from wizard.benchmark.loads.script import Draft, Script, crowd, phase
from wizard.model.said import KIB, MIB

FILES = 1500
THREADS = 100
TURNS = 400
PAGE_BYTES = LOG_BYTES = 16 * KIB
READS = 5
FOLDER, LOG = "cache", "weblog"


def _webproxy_phases(scale: float, seed: int) -> tuple[LoadPhase, ...]:
    draft = Draft(seed)
    fill = draft.script()
    fill.make_folder(FOLDER)
    pages = [f"{FOLDER}/{number}" for number in range(scaled(FILES, scale, 2))]
    for name in pages:
        fill.create(name, gamma_size(draft.random, PAGE_BYTES))
    scripts = crowd(
        draft,
        FOLDER,
        threads=THREADS,
        turns=scaled(TURNS, scale, 2),
        files=pages,
        turn=partial(_webproxy_turn, draft, draft.contents.take(LOG_BYTES)),
    )
    return phase("fill", Unit.FILES, fill), phase("serve", Unit.OPERATIONS, *scripts)


def _webproxy_turn(
    draft: Draft, entry: Sequence[memoryview], script: Script, have: list[str], new: str
) -> None:
    """Delete a page, create one, read five, and append to the log. All log entries are equal, because the
    threads share the log."""
    random = draft.random
    script.delete(have.pop(random.randrange(len(have))))
    script.create(new, gamma_size(random, PAGE_BYTES))
    have.append(new)
    for _ in range(READS):
        script.read(random.choice(have))
    script.append(LOG, entry)


WEBPROXY_LOAD = Load("webproxy", _webproxy_phases)


FILESERVER_FILES = 700
FILES_A_FOLDER = 20
FILESERVER_THREADS = 50
FILESERVER_TURNS = 500
FILE_BYTES, APPEND_BYTES = 128 * KIB, 16 * KIB
NEW = "new"


def _fileserver_phases(scale: float, seed: int) -> tuple[LoadPhase, ...]:
    draft = Draft(seed)
    fill = draft.script()
    fill.make_folder(NEW)
    files = []
    for number in range(scaled(FILESERVER_FILES, scale, 2)):
        folder = f"d{number // FILES_A_FOLDER}"
        if number % FILES_A_FOLDER == 0:
            fill.make_folder(folder)
        files.append(f"{folder}/{number}")
        fill.create(files[-1], gamma_size(draft.random, FILE_BYTES))
    # Distribute adjacent files over the threads.
    draft.random.shuffle(files)
    turns = scaled(FILESERVER_TURNS, scale, 2)
    scripts = crowd(
        draft,
        NEW,
        threads=FILESERVER_THREADS,
        turns=turns,
        files=files,
        turn=partial(_fileserver_turn, draft),
    )
    return phase("fill", Unit.FILES, fill), phase("serve", Unit.OPERATIONS, *scripts)


def _fileserver_turn(draft: Draft, script: Script, have: list[str], new: str) -> None:
    random = draft.random
    script.create(new, gamma_size(random, FILE_BYTES))
    have.append(new)
    script.append(random.choice(have), draft.contents.take(gamma_size(random, APPEND_BYTES)))
    script.read(random.choice(have))
    script.delete(have.pop(random.randrange(len(have))))
    script.look(random.choice(have))


FILESERVER_LOAD = Load("fileserver", _fileserver_phases)


VARMAIL_FILES = 1000
VARMAIL_THREADS = 16
VARMAIL_TURNS = 320
LETTER_BYTES = 16 * KIB
VARMAIL_FOLDER = "mail"


def _varmail_phases(scale: float, seed: int) -> tuple[LoadPhase, ...]:
    draft = Draft(seed)
    fill = draft.script()
    fill.make_folder(VARMAIL_FOLDER)
    letters = [f"{VARMAIL_FOLDER}/{number}" for number in range(scaled(VARMAIL_FILES, scale, 2))]
    for name in letters:
        fill.create(name, gamma_size(draft.random, LETTER_BYTES))
    scripts = crowd(
        draft,
        VARMAIL_FOLDER,
        threads=VARMAIL_THREADS,
        turns=scaled(VARMAIL_TURNS, scale, 2),
        files=letters,
        turn=partial(_varmail_turn, draft),
    )
    return phase("fill", Unit.FILES, fill), phase("serve", Unit.OPERATIONS, *scripts)


def _varmail_turn(draft: Draft, script: Script, have: list[str], new: str) -> None:
    """Delete; deliver; read and append; read."""
    random = draft.random
    script.delete(have.pop(random.randrange(len(have))))
    script.create(new, gamma_size(random, LETTER_BYTES), sync=True)
    have.append(new)
    answered = random.choice(have)
    script.read(answered)
    script.append(answered, draft.contents.take(gamma_size(random, LETTER_BYTES)), sync=True)
    script.read(random.choice(have))


VARMAIL_LOAD = Load("varmail", _varmail_phases)


WATCHED, PASSIVE = 8, 4
READERS = 12
VIDEO_BYTES = 24 * MIB
READ_BYTES, WRITE_BYTES = 256 * KIB, MIB
REPLACED = 2


def _videoserver_phases(scale: float, seed: int) -> tuple[LoadPhase, ...]:
    draft = Draft(seed)
    size_bytes = scaled(VIDEO_BYTES // WRITE_BYTES, scale) * WRITE_BYTES
    watched = [f"watched/{number}" for number in range(WATCHED)]
    passive = [f"passive/{number}" for number in range(PASSIVE)]
    fill = draft.script()
    for folder in ("watched", "passive"):
        fill.make_folder(folder)
    for name in (*watched, *passive):
        fill.create(name, size_bytes, WRITE_BYTES)
    readers = [draft.script(READ_BYTES) for _ in range(READERS)]
    for number, reader in enumerate(readers):
        # Each video has a reader; further readers choose at random.
        reader.read(watched[number] if number < WATCHED else draft.random.choice(watched))
    writer = draft.script()
    for number in range(REPLACED):
        writer.delete(passive[number])
        writer.create(f"passive/new{number}", size_bytes, WRITE_BYTES)
    return phase("fill", Unit.BYTES, fill), phase("serve", Unit.BYTES, *readers, writer)


VIDEOSERVER_LOAD = Load("videoserver", _videoserver_phases)
