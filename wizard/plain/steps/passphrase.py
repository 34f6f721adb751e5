"""A new passphrase, asked for line by line and not shown."""

from wizard.layout.wishes.encryption import LOST
from wizard.layout.wishes.passphrase import passphrase_fault, passphrase_warning
from wizard.plain.desk import Desk
from wizard.plain.questions import agreed

PASSPHRASE = (
    "The plan encrypts, and wants a passphrase. It opens the volume at every start, and is kept nowhere: not "
    "in the plan, not in the journal. Several words that nobody guesses are best."
)


def typed_passphrase(desk: Desk) -> bytes | None:
    """A new passphrase, typed twice; None for an empty line."""
    desk.talk.say()
    desk.talk.say(PASSPHRASE)
    desk.talk.say(LOST)
    while True:
        desk.talk.say("Type it; it is not shown. An empty line means no, and back.")
        if not (secret := desk.talk.hidden_answer("Passphrase:")):
            return None
        if fault := passphrase_fault(secret):
            desk.talk.say(f"This passphrase {fault}.")
        elif desk.talk.hidden_answer("The same once more:") != secret:
            desk.talk.say("That was not the same.")
        elif not (warning := passphrase_warning(secret)) or agreed(
            desk.talk, warning, "Choose another one.", "Take it all the same."
        ):
            return secret
