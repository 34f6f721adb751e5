"""The loads of a trial, by name: functions that compose phases from scripts of operations.

Scale 1.0 takes 8 to 10 seconds on a hard disk. Originals: Randomio, IOzone, dd, FileBench, PostMark, rsync,
Attic and Borg.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from random import Random

from wizard.benchmark.loads.script import (
    CHUNK_BYTES,
    Draft,
    LoadPhase,
    Script,
    ScriptAccess,
    Unit,
)
from wizard.model.said import KIB, MIB
from wizard.process.program import run

Tree = dict[str, list[str]]
"""Names of files by folder, parent folders first."""

FILE = "file"
RANDOM_FILE_BYTES = 128 * MIB
WRITES = 0.25
"""Share of writes among random accesses, as in Randomio."""


def phases_of(load: str, scale: float, seed: int) -> tuple[LoadPhase, ...]:
    """Return a load's phases."""
    draft = Draft(seed, scale)
    LOADS[load](draft)
    return tuple(draft.phases)


def _write_file(draft: Draft, phase: str, size_bytes: int, record_bytes: int = MIB, name: str = FILE) -> None:
    size_bytes = draft.count(size_bytes // MIB) * MIB
    draft.phase(phase, Unit.BYTES).create(name, size_bytes, record_bytes)


def _scattered(draft: Draft, size_bytes: int, count: int) -> list[int]:
    """Draw offsets without overlap, so the order of threads does not change the result."""
    return draft.random.sample(range(0, draft.sizes[FILE] - size_bytes + 1, size_bytes), count)


def _accesses(draft: Draft, size_bytes: int, offsets: Iterable[int], writes: float) -> Iterator[ScriptAccess]:
    """Write a share of the offsets, and read the others."""
    for offset in offsets:
        is_write = draft.random.random() < writes
        yield ScriptAccess(offset, draft.contents.take(size_bytes, size_bytes)[0] if is_write else None)


def random_accesses(
    access_bytes: int, number: int, draft: Draft, *, threads: int = 1, sync: bool = False
) -> None:
    """Compose random accesses. Randomio has ten threads; a database syncs each page."""
    _write_file(draft, "fill", RANDOM_FILE_BYTES)
    count = draft.count(number)
    script = draft.phase("access", Unit.OPERATIONS, access_bytes)
    moves = _accesses(draft, access_bytes, _scattered(draft, access_bytes, count), WRITES)
    for one, mine in script.spread(count, min(threads, count)):
        one.access(FILE, islice(moves, mine), sync=sync)


def fio_random(draft: Draft) -> None:
    """Compose fio's random accesses of 4 KiB."""
    _write_file(draft, "fill", RANDOM_FILE_BYTES)
    size_bytes, count, seed = draft.sizes[FILE], draft.count(900), draft.seed

    def step(root: int) -> None:
        options = (
            "--name=access",
            f"--filename=/proc/self/fd/{root}/{FILE}",
            "--thread",
            "--scramble_buffers=0",
            "--ioengine=psync",
            "--rw=randrw",
            f"--rwmixwrite={round(100 * WRITES)}",
            "--bs=4096",
            f"--size={size_bytes}",
            f"--number_ios={count}",
            f"--randseed={seed}",
            "--allow_file_create=0",
            "--fallocate=none",
            "--invalidate=0",
            "--output-format=terse",
        )
        run(("fio", *options), seconds=600.0, keep_open=(root,))

    draft.phase("access", Unit.OPERATIONS, amount=count).steps.append(step)


RECORD_BYTES = 64 * KIB
STRIDE_RECORDS = 17
"""IOzone's: read one record, skip 16."""


def patterns(draft: Draft) -> None:
    """Compose IOzone's rewrites and patterned reads."""
    _write_file(draft, "fill", 48 * MIB)
    offsets = range(0, draft.sizes[FILE], RECORD_BYTES)
    strides = [offset for first in range(STRIDE_RECORDS) for offset in offsets[first::STRIDE_RECORDS]]
    same = [draft.random.choice(offsets)] * len(offsets)
    for name, places, writes in (
        ("rewrite", offsets, 1.0),
        ("backwards", offsets[::-1], 0.0),
        ("strides", strides, 0.0),
        ("record-again", same, 1.0),
    ):
        script = draft.phase(name, Unit.BYTES, RECORD_BYTES)
        script.access(FILE, _accesses(draft, RECORD_BYTES, places, writes))


RECORDS = (
    ("4k", 4 * KIB, 64),
    ("16k", 16 * KIB, 64),
    ("64k", 64 * KIB, 56),
    ("256k", 256 * KIB, 48),
    ("1m", MIB, 32),
)
"""Name, size and count. Larger records are fewer, so that all phases last about equally long."""


def record_sizes(draft: Draft) -> None:
    """Compose IOzone's records of several sizes."""
    _write_file(draft, "fill", RANDOM_FILE_BYTES)
    for label, record_bytes, number in RECORDS:
        count = min(draft.count(number), draft.sizes[FILE] // record_bytes)
        for name, writes in (("read", 0.0), ("write", 1.0)):
            script = draft.phase(f"{name}-{label}", Unit.BYTES, record_bytes)
            offsets = _scattered(draft, record_bytes, count)
            script.access(FILE, _accesses(draft, record_bytes, offsets, writes))


def dd(record_bytes: int, draft: Draft) -> None:
    """Compose a file written and read in records."""
    _write_file(draft, "write", 512 * MIB, record_bytes)
    draft.phase("read", Unit.BYTES, record_bytes).read(FILE)


def large_file(draft: Draft) -> None:
    """Compose a film: written, copied, deleted."""
    _write_file(draft, "write", 320 * MIB, CHUNK_BYTES, "film")
    draft.phase("copy", Unit.BYTES).copy("film", "copy")
    delete = draft.phase("delete")
    delete.delete("film")
    delete.delete("copy")


SOURCE_MEDIAN_BYTES, SOURCE_SPREAD, SOURCE_MOST_BYTES = 5000, 1.2, 200_000
SOURCES_A_FOLDER = 18
"""A kernel tree of 2.6.33 has about 31,500 files of 11 kB on average in 2,000 folders."""


def _source_size(random: Random) -> int:
    size_bytes = int(random.lognormvariate(math.log(SOURCE_MEDIAN_BYTES), SOURCE_SPREAD))
    return max(1, min(SOURCE_MOST_BYTES, size_bytes))


def _source_tree(random: Random, files: int, base: str) -> Tree:
    folders = [base]
    for number in range(files // SOURCES_A_FOLDER):
        folders.append(f"{random.choice(folders)}/d{number}")
    tree: Tree = {folder: [] for folder in folders}
    for number in range(files):
        folder = random.choice(folders)
        tree[folder].append(f"{folder}/f{number}.c")
    return tree


def kernel_tree(draft: Draft) -> None:
    """Compose tar, cp, find and rm of kernel sources."""
    tree, size = _source_tree(draft.random, draft.count(700), "linux"), partial(_source_size, draft.random)
    extract, copy = draft.phase("extract"), draft.phase("copy")
    archive = draft.phase("archive")
    _work_on_tree(draft, tree, size, extract, copy)
    read = draft.phase("read")
    for name in (name for files in tree.values() for name in files):
        archive.copy(name, "linux.tar", append=True)
        read.read(name)
    read.read("linux.tar")
    _delete_tree(draft, tree).delete("linux.tar")


def many_files(draft: Draft) -> None:
    """Compose work on many files of 1 KiB in one folder."""
    tree = {"many": [f"many/{number}" for number in range(draft.count(1800))]}
    create, copy = draft.phase("create"), draft.phase("copy")
    _work_on_tree(draft, tree, lambda: KIB, create, copy)
    draft.random.shuffle(tree["many"])
    _delete_tree(draft, tree)


def _work_on_tree(draft: Draft, tree: Tree, size: Callable[[], int], create: Script, copy: Script) -> None:
    """Shuffles the files, as directory order differs from creation order."""
    for folder, files in tree.items():
        create.make_folder(folder)
        for name in files:
            create.create(name, size())
    look = draft.phase("list")
    for folder, files in tree.items():
        draft.random.shuffle(files)
        copy.make_folder(_copied(folder))
        look.list_folder(folder)
        for name in files:
            copy.copy(name, _copied(name))
            look.look(name)


def _delete_tree(draft: Draft, tree: Tree) -> Script:
    delete = draft.phase("delete")
    for folder, files in reversed(tree.items()):
        for name in files:
            delete.delete(name)
            delete.delete(_copied(name))
        delete.remove_folder(folder)
        delete.remove_folder(_copied(folder))
    return delete


def _copied(name: str) -> str:
    _, slash, rest = name.partition("/")
    return f"copy{slash}{rest}"


CHANGED = 10


def rsync(draft: Draft) -> None:
    """Compose rsync's writes, twice."""
    tree = _source_tree(draft.random, draft.count(3000), "copied")
    names = [name for files in tree.values() for name in files]
    copy, again = draft.phase("copy"), draft.phase("again", amount=len(names))
    for folder, files in tree.items():
        copy.make_folder(folder)
        for name in files:
            _transfer(copy, name, _source_size(draft.random))
    for name in names:
        again.look(name)
    for name in draft.random.sample(names, -(-len(names) // CHANGED)):
        # rsync compares with the old file.
        again.read(name)
        _transfer(again, name, _source_size(draft.random))


def _transfer(script: Script, name: str, size_bytes: int) -> None:
    folder, _, last = name.rpartition("/")
    temporary = f"{folder}/.{last}.part"
    script.create(temporary, size_bytes)
    script.date(temporary)
    script.rename(temporary, name)


PAGE_BYTES, SERVED_BYTES = 16 * KIB, 128 * KIB
SERVED_A_FOLDER = 20


def _crowd(
    folder: str,
    number: int,
    mean_bytes: int,
    threads: int,
    turns: int,
    turn: Callable[[Draft, Script, list[str], str], None],
    draft: Draft,
    *,
    folders: bool = False,
) -> None:
    """Compose threads with own files in one folder, so all runs are equal. `turn` uses and updates a thread's
    files, and creates one with the given name. `folders`: distribute the first files over further folders."""
    fill, files, base = draft.phase("fill"), [], folder
    fill.make_folder(base)
    for at in range(draft.count(number, 2)):
        if folders:
            base = f"d{at // SERVED_A_FOLDER}"
            if at % SERVED_A_FOLDER == 0:
                fill.make_folder(base)
        files.append(f"{base}/{at}")
        fill.create(files[-1], draft.gamma_size(mean_bytes))
    if folders:
        # Distribute adjacent files over the threads.
        draft.random.shuffle(files)
    turns = draft.count(turns, 2)
    threads = min(threads, turns, len(files))
    scripts = draft.phase("serve", Unit.OPERATIONS).spread(turns, threads)
    for thread, (script, mine) in enumerate(scripts):
        have = files[thread::threads]
        for at in range(mine):
            turn(draft, script, have, f"{folder}/t{thread}-{at}")


def _delete_any(draft: Draft, script: Script, have: list[str]) -> None:
    script.delete(have.pop(draft.random.randrange(len(have))))


def _webproxy(draft: Draft, script: Script, have: list[str], new: str) -> None:
    """All log entries are equal, because the threads share the log."""
    _delete_any(draft, script, have)
    script.create(new, draft.gamma_size(PAGE_BYTES))
    have.append(new)
    for _ in range(5):
        script.read(draft.random.choice(have))
    script.append("weblog", draft.log_entry)


def _fileserver(draft: Draft, script: Script, have: list[str], new: str) -> None:
    random = draft.random
    script.create(new, draft.gamma_size(SERVED_BYTES))
    have.append(new)
    script.append(random.choice(have), draft.contents.take(draft.gamma_size(PAGE_BYTES)))
    script.read(random.choice(have))
    _delete_any(draft, script, have)
    script.look(random.choice(have))


def _varmail(draft: Draft, script: Script, have: list[str], new: str) -> None:
    _delete_any(draft, script, have)
    script.create(new, draft.gamma_size(PAGE_BYTES), sync=True)
    have.append(new)
    answered = draft.random.choice(have)
    script.read(answered)
    script.append(answered, draft.contents.take(draft.gamma_size(PAGE_BYTES)), sync=True)
    script.read(draft.random.choice(have))


WATCHED, PASSIVE, READERS, REPLACED = 8, 4, 12, 2


def videoserver(draft: Draft) -> None:
    """Compose FileBench's readers of videos, and a writer that replaces passive ones."""
    size_bytes = draft.count(24) * MIB
    watched = [f"watched/{number}" for number in range(WATCHED)]
    passive = [f"passive/{number}" for number in range(PASSIVE)]
    fill, writer = draft.phase("fill", Unit.BYTES), draft.phase("serve", Unit.BYTES, 256 * KIB)
    for folder in ("watched", "passive"):
        fill.make_folder(folder)
    for name in (*watched, *passive):
        fill.create(name, size_bytes, MIB)
    for number in range(READERS):
        # Each video has a reader; further readers choose at random.
        video = watched[number] if number < WATCHED else draft.random.choice(watched)
        writer.beside().read(video)
    for number in range(REPLACED):
        writer.delete(passive[number])
        writer.create(f"passive/new{number}", size_bytes, MIB)


LEAST_BYTES, MOST_BYTES = 500, 9770


def postmark(draft: Draft) -> None:
    """Compose PostMark with default sizes."""
    random, transactions = draft.random, draft.count(1400)
    create = draft.phase("create")
    transact = draft.phase("transactions", Unit.OPERATIONS, amount=transactions)
    delete = draft.phase("delete")
    have = [f"pool/{number}" for number in range(draft.count(1600, 2))]
    create.make_folder("pool")
    for name in have:
        create.create(name, random.randint(LEAST_BYTES, MOST_BYTES))
    for number in range(transactions):
        # Each choice is equally likely. At least one file always remains.
        name = random.choice(have)
        if random.random() < 0.5:
            transact.read(name)
        else:
            transact.append(name, draft.contents.take(random.randint(1, LEAST_BYTES)))
        if random.random() < 0.5 or len(have) == 1:
            have.append(f"pool/n{number}")
            transact.create(have[-1], random.randint(LEAST_BYTES, MOST_BYTES))
        else:
            _delete_any(draft, transact, have)
    random.shuffle(have)
    for name in have:
        delete.delete(name)
    delete.remove_folder("pool")


SEGMENT_BYTES = 5 * MIB
"""Attic's. Borg's are larger."""
COMMIT_EVERY = 8
ROOT, DATA = "repository", "repository/data"
INDEX = ((f"{ROOT}/hints", 40 * KIB), (f"{ROOT}/index", 400 * KIB))


def backup(draft: Draft) -> None:
    """Compose Attic and Borg: synced segments, renamed index."""
    create, again, check, prune = (
        draft.phase(name, Unit.BYTES) for name in ("create", "again", "check", "prune")
    )
    segments = [f"{DATA}/{number}" for number in range(draft.count(40, 2))]
    create.make_folder(ROOT)
    create.make_folder(DATA)
    for first in range(0, len(segments), COMMIT_EVERY):
        _commit(create, segments[first : first + COMMIT_EVERY])
    for script in (again, check, prune):
        for name, _ in INDEX:
            script.read(name)
    segments.append(f"{DATA}/{len(segments)}")
    _commit(again, segments[-1:])
    for name in segments:
        check.read(name)
    # Half of the data of every second segment is still in use.
    kept = segments[::2]
    for name in kept:
        prune.read(name)
        prune.create(f"{name}-kept", SEGMENT_BYTES // 2, RECORD_BYTES, sync=True)
    _commit(prune, ())
    for name in kept:
        prune.delete(name)


def _commit(script: Script, segments: Sequence[str]) -> None:
    for name in segments:
        script.create(name, SEGMENT_BYTES, RECORD_BYTES, sync=True)
    for name, size_bytes in INDEX:
        script.create(f"{name}.tmp", size_bytes, sync=True)
        script.rename(f"{name}.tmp", name)
    script.sync_folder(ROOT)


LOADS: dict[str, Callable[[Draft], None]] = {
    "backup": backup,
    "dd-1k": partial(dd, KIB),
    "dd-1m": partial(dd, MIB),
    "fileserver": partial(_crowd, "new", 700, SERVED_BYTES, 50, 500, _fileserver, folders=True),
    "fio-random": fio_random,
    "kernel-tree": kernel_tree,
    "large-file": large_file,
    "many-files": many_files,
    "patterns": patterns,
    "postmark": postmark,
    "random-io": partial(random_accesses, 2 * KIB, 1000, threads=10),
    "random-sync": partial(random_accesses, 8 * KIB, 500, sync=True),
    "record-sizes": record_sizes,
    "rsync": rsync,
    "varmail": partial(_crowd, "mail", 1000, PAGE_BYTES, 16, 320, _varmail),
    "videoserver": videoserver,
    "webproxy": partial(_crowd, "cache", 1500, PAGE_BYTES, 100, 400, _webproxy),
}

PROGRAMS = {"fio-random": "fio"}
"""Programs that loads need besides Python."""
