"""Loads of a backup repository and of PostMark. The repository follows Attic and Borg: segments are synced,
and an index is renamed."""

from wizard.benchmark.loads.load import Load, LoadPhase, Unit, scaled
from wizard.benchmark.loads.script import Draft, Script, phase
from wizard.model.said import KIB, MIB

SEGMENTS = 40
SEGMENT_BYTES = 5 * MIB
"""Attic's. Borg's are larger."""
RECORD_BYTES = 64 * KIB
COMMIT_EVERY = 8
HINTS_BYTES, INDEX_BYTES = 40 * KIB, 400 * KIB
ROOT, DATA = "repository", "repository/data"
HINTS, INDEX = f"{ROOT}/hints", f"{ROOT}/index"


def _backup_phases(scale: float, seed: int) -> tuple[LoadPhase, ...]:
    draft = Draft(seed)
    create, again, check, prune = (draft.script() for _ in range(4))
    segments = [f"{DATA}/{number}" for number in range(scaled(SEGMENTS, scale, 2))]
    create.make_folder(ROOT)
    create.make_folder(DATA)
    for number, name in enumerate(segments, 1):
        create.create(name, SEGMENT_BYTES, RECORD_BYTES, sync=True)
        if number % COMMIT_EVERY == 0 or number == len(segments):
            _commit(create)
    _open(again)
    segments.append(f"{DATA}/{len(segments)}")
    again.create(segments[-1], SEGMENT_BYTES, RECORD_BYTES, sync=True)
    _commit(again)
    _open(check)
    for name in segments:
        check.read(name)
    _open(prune)
    for name in segments[::2]:
        # Half of the segment's data is still in use.
        prune.read(name)
        prune.create(f"{name}-kept", SEGMENT_BYTES // 2, RECORD_BYTES, sync=True)
    _commit(prune)
    for name in segments[::2]:
        prune.delete(name)
    return (
        phase("create", Unit.BYTES, create),
        phase("again", Unit.BYTES, again),
        phase("check", Unit.BYTES, check),
        phase("prune", Unit.BYTES, prune),
    )


def _open(script: Script) -> None:
    script.read(HINTS)
    script.read(INDEX)


def _commit(script: Script) -> None:
    """Write both files under temporary names, sync them, and replace the old ones."""
    for name, size_bytes in ((HINTS, HINTS_BYTES), (INDEX, INDEX_BYTES)):
        script.create(f"{name}.tmp", size_bytes, sync=True)
        script.rename(f"{name}.tmp", name)
    script.sync_folder(ROOT)


BACKUP_LOAD = Load("backup", _backup_phases)


FILES = 1600
TRANSACTIONS = 1400
LEAST_BYTES, MOST_BYTES = 500, 9770
POOL = "pool"


def _postmark_phases(scale: float, seed: int) -> tuple[LoadPhase, ...]:
    draft = Draft(seed)
    random = draft.random
    create, transact, delete = draft.script(), draft.script(), draft.script()
    have = [f"{POOL}/{number}" for number in range(scaled(FILES, scale, 2))]
    create.make_folder(POOL)
    for name in have:
        create.create(name, random.randint(LEAST_BYTES, MOST_BYTES))
    transactions = scaled(TRANSACTIONS, scale)
    for number in range(transactions):
        _transaction(draft, transact, have, f"{POOL}/n{number}")
    random.shuffle(have)
    for name in have:
        delete.delete(name)
    delete.remove_folder(POOL)
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
        script.delete(have.pop(random.randrange(len(have))))


POSTMARK_LOAD = Load("postmark", _postmark_phases)
