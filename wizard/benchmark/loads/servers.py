"""Loads of servers: FileBench's, PostMark's, and a backup repository's."""

from collections.abc import Callable
from dataclasses import dataclass

from wizard.benchmark.loads.script import Draft, LoadPhase, Script, Unit, phase, shares
from wizard.model.said import KIB, MIB

FILES_A_FOLDER = 20


@dataclass(frozen=True, slots=True)
class Crowd:
    """A load of threads that share a folder. Each thread has its own files, so all runs are equal.

    `turn` uses and updates the list of a thread's files, and creates a file with the given name. With
    `folders`, the first files are distributed over further folders.
    """

    folder: str
    files: int
    mean_bytes: int
    threads: int
    turns: int
    turn: Callable[[Draft, Script, list[str], str], None]
    folders: bool = False

    def __call__(self, draft: Draft) -> tuple[LoadPhase, ...]:
        """Compose the phases."""
        fill, files, base = draft.script(), [], self.folder
        fill.make_folder(base)
        for number in range(draft.count(self.files, 2)):
            if self.folders:
                base = f"d{number // FILES_A_FOLDER}"
                if number % FILES_A_FOLDER == 0:
                    fill.make_folder(base)
            files.append(f"{base}/{number}")
            fill.create(files[-1], draft.gamma_size(self.mean_bytes))
        if self.folders:
            # Distribute adjacent files over the threads.
            draft.random.shuffle(files)
        turns = draft.count(self.turns, 2)
        threads = min(self.threads, turns, len(files))
        scripts = []
        for thread, mine in enumerate(shares(turns, threads)):
            scripts.append(draft.script())
            have = files[thread::threads]
            for number in range(mine):
                self.turn(draft, scripts[-1], have, f"{self.folder}/t{thread}-{number}")
        return phase("fill", Unit.FILES, fill), phase("serve", Unit.OPERATIONS, *scripts)


PAGE_BYTES = 16 * KIB
SERVED_BYTES = 128 * KIB


def _delete_any(draft: Draft, script: Script, have: list[str]) -> None:
    script.delete(have.pop(draft.random.randrange(len(have))))


def _webproxy(draft: Draft, script: Script, have: list[str], new: str) -> None:
    """Delete a page, create one, read five, and append to the log. All log entries are equal, because the
    threads share the log."""
    _delete_any(draft, script, have)
    script.create(new, draft.gamma_size(PAGE_BYTES))
    have.append(new)
    for _ in range(5):
        script.read(draft.random.choice(have))
    script.append("weblog", draft.log_entry)


def _fileserver(draft: Draft, script: Script, have: list[str], new: str) -> None:
    """Create, append, read, delete, look."""
    random = draft.random
    script.create(new, draft.gamma_size(SERVED_BYTES))
    have.append(new)
    script.append(random.choice(have), draft.contents.take(draft.gamma_size(PAGE_BYTES)))
    script.read(random.choice(have))
    _delete_any(draft, script, have)
    script.look(random.choice(have))


def _varmail(draft: Draft, script: Script, have: list[str], new: str) -> None:
    """Delete; deliver; read and append; read."""
    _delete_any(draft, script, have)
    script.create(new, draft.gamma_size(PAGE_BYTES), sync=True)
    have.append(new)
    answered = draft.random.choice(have)
    script.read(answered)
    script.append(answered, draft.contents.take(draft.gamma_size(PAGE_BYTES)), sync=True)
    script.read(draft.random.choice(have))


WEBPROXY = Crowd("cache", 1500, PAGE_BYTES, threads=100, turns=400, turn=_webproxy)
FILESERVER = Crowd("new", 700, SERVED_BYTES, threads=50, turns=500, turn=_fileserver, folders=True)
VARMAIL = Crowd("mail", 1000, PAGE_BYTES, threads=16, turns=320, turn=_varmail)

WATCHED, PASSIVE, READERS, REPLACED = 8, 4, 12, 2


def videoserver(draft: Draft) -> tuple[LoadPhase, ...]:
    """Compose FileBench's videoserver: readers of watched videos, and a writer that replaces passive ones."""
    size_bytes = draft.count(24) * MIB
    watched = [f"watched/{number}" for number in range(WATCHED)]
    passive = [f"passive/{number}" for number in range(PASSIVE)]
    fill, writer = draft.script(), draft.script()
    for folder in ("watched", "passive"):
        fill.make_folder(folder)
    for name in (*watched, *passive):
        fill.create(name, size_bytes, MIB)
    readers = [draft.script(256 * KIB) for _ in range(READERS)]
    for number, reader in enumerate(readers):
        # Each video has a reader; further readers choose at random.
        reader.read(watched[number] if number < WATCHED else draft.random.choice(watched))
    for number in range(REPLACED):
        writer.delete(passive[number])
        writer.create(f"passive/new{number}", size_bytes, MIB)
    return phase("fill", Unit.BYTES, fill), phase("serve", Unit.BYTES, *readers, writer)


LEAST_BYTES, MOST_BYTES = 500, 9770


def postmark(draft: Draft) -> tuple[LoadPhase, ...]:
    """Compose PostMark's load with its default sizes."""
    random = draft.random
    create, transact, delete = draft.script(), draft.script(), draft.script()
    have = [f"pool/{number}" for number in range(draft.count(1600, 2))]
    create.make_folder("pool")
    for name in have:
        create.create(name, random.randint(LEAST_BYTES, MOST_BYTES))
    transactions = draft.count(1400)
    for number in range(transactions):
        _transaction(draft, transact, have, f"pool/n{number}")
    random.shuffle(have)
    for name in have:
        delete.delete(name)
    delete.remove_folder("pool")
    return (
        phase("create", Unit.FILES, create),
        phase("transactions", Unit.OPERATIONS, transact, amount=transactions),
        phase("delete", Unit.FILES, delete),
    )


def _transaction(draft: Draft, script: Script, have: list[str], new: str) -> None:
    """Read a file or append to one, then create or delete one. Each choice is equally likely. Always leaves
    at least one file."""
    random = draft.random
    name = random.choice(have)
    if random.random() < 0.5:
        script.read(name)
    else:
        script.append(name, draft.contents.take(random.randint(1, LEAST_BYTES)))
    if random.random() < 0.5 or len(have) == 1:
        script.create(new, random.randint(LEAST_BYTES, MOST_BYTES))
        have.append(new)
    else:
        _delete_any(draft, script, have)


SEGMENT_BYTES = 5 * MIB
"""Attic's. Borg's are larger."""
RECORD_BYTES = 64 * KIB
COMMIT_EVERY = 8
ROOT, DATA = "repository", "repository/data"
INDEX = ((f"{ROOT}/hints", 40 * KIB), (f"{ROOT}/index", 400 * KIB))


def backup(draft: Draft) -> tuple[LoadPhase, ...]:
    """Compose the load of Attic and Borg: segments are synced, and an index is renamed."""
    create, again, check, prune = (draft.script() for _ in range(4))
    segments = [f"{DATA}/{number}" for number in range(draft.count(40, 2))]
    create.make_folder(ROOT)
    create.make_folder(DATA)
    for number, name in enumerate(segments, 1):
        create.create(name, SEGMENT_BYTES, RECORD_BYTES, sync=True)
        if number % COMMIT_EVERY == 0 or number == len(segments):
            _commit(create)
    for script in (again, check, prune):
        for name, _ in INDEX:
            script.read(name)
    segments.append(f"{DATA}/{len(segments)}")
    again.create(segments[-1], SEGMENT_BYTES, RECORD_BYTES, sync=True)
    _commit(again)
    for name in segments:
        check.read(name)
    for name in segments[::2]:
        # Half of the segment's data is still in use.
        prune.read(name)
        prune.create(f"{name}-kept", SEGMENT_BYTES // 2, RECORD_BYTES, sync=True)
    _commit(prune)
    for name in segments[::2]:
        prune.delete(name)
    scripts = {"create": create, "again": again, "check": check, "prune": prune}
    return tuple(phase(name, Unit.BYTES, script) for name, script in scripts.items())


def _commit(script: Script) -> None:
    """Write both files under temporary names, sync them, and replace the old ones."""
    for name, size_bytes in INDEX:
        script.create(f"{name}.tmp", size_bytes, sync=True)
        script.rename(f"{name}.tmp", name)
    script.sync_folder(ROOT)
