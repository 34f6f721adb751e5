"""What is said of a drive that is not planned for, or has too little room."""

from wizard.model.said import Sentence

HALF_MOVED = Sentence(
    "{part} is in the middle of a move, with everything in it. `sudo diskwright resume` goes on; on another "
    "computer `sudo diskwright resume --from-drive {drive}`."
)


TOO_SMALL = Sentence("The volume {name} with {size:exact} is too small: it needs at least {least:exact}.")
