"""PostMark, a mail server of 1997: a pool of small files, transactions on it, and the pool deleted.

The study of 2010 does not give its configuration. Sizes and shares are PostMark's own; the pool is larger.
"""

from wizard.trial.loads.drawn import scaled
from wizard.trial.loads.load import Load, Phase, Unit
from wizard.trial.loads.script import Draft, Script, phase

FILES = 1600
TRANSACTIONS = 1400
LEAST_BYTES, MOST_BYTES = 500, 9770
POOL = "pool"


def _phases(scale: float, seed: int) -> tuple[Phase, ...]:
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
    """Read a file or append to one; then make one or delete one.

    Either is as likely. One file always stays.
    """
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


LOAD = Load("postmark", _phases)
