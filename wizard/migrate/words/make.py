"""What is said of a migration that is made: why it is refused, and what is good to know of it."""

from wizard.model.said import Sentence

NOTHING_WRITTEN = Sentence("migrate.make.nothing-written", "Nothing was written.")

# Refusals.
THE_MIGRATION = Sentence("migrate.make.the-migration", "The migration")
NO_ROOM = Sentence(
    "migrate.make.no-room",
    "{folder} has {free:size} free, and what is replaced may need {room:size}. Name a folder with more room.",
)
NO_TARGET = Sentence(
    "migrate.make.no-target", "Name the volume for the fresh ext4 with --to; it must hold nothing."
)

# Without a transaction.
NO_TRANSACTION = Sentence("migrate.make.no-transaction", "A transaction is not possible here:")
WITHOUT = Sentence("migrate.make.without", "{why}.")
STORE_CANNOT = Sentence("migrate.make.store-cannot", "{folder} cannot hold its stores, since {fault}.")
NOT_COVERED = Sentence(
    "migrate.make.not-covered",
    "A power cut is not covered: the filesystem itself is worked on, and undo files can be useless after "
    "one. Make a backup first.",
)
FINGERPRINT = Sentence(
    "migrate.make.fingerprint",
    "All of {device} is read for its fingerprint before the first step, and again when it is undone. Each "
    "takes {time:time}.",
)

# Good to know.
CLOSED_BY = Sentence("migrate.make.closed-by", "It can be undone until it is kept, or mounted for writing.")
COMPARING = Sentence(
    "migrate.make.comparing",
    "Comparing every file before and after takes {time:time} altogether.",
)
NOT_COMPARED = Sentence(
    "migrate.make.not-compared", "The files' content is not compared before and after; --manifest does that."
)
STAYS = Sentence(
    "migrate.make.stays",
    "What is mounted at boot stays {device}: look at the copy first, then have {lines:and}.",
)
LINE = Sentence("migrate.make.line", "line {number} of {file} read `{line}`")
NO_LINE = Sentence(
    "migrate.make.no-line",
    "No line of {file} is for {device}, so nothing mounts the copy at boot, either. Its name is UUID={uuid}.",
)
