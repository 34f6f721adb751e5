"""What is said of options: where they do not fit, and what a person may ask for."""

from wizard.model.said import Sentence

TOGETHER = Sentence("{one} and {other} cannot be used together.")
OTHER_FILESYSTEM = Sentence("{option} is for {filesystems:list}, not for {filesystem}.")
MADE_DANGEROUS = Sentence("The volume for {purpose} is made with {option}; its danger was typed back. {why}")
MADE_ASKED = Sentence(
    "The volume for {purpose} is made with {option}; it was asked for, and is not recommended. {why}"
)
MOUNTED_DANGEROUS = Sentence(
    "The volume for {purpose} is mounted with {option}; its danger was typed back. {why}"
)
MOUNTED_ASKED = Sentence(
    "The volume for {purpose} is mounted with {option}; it was asked for, and is not recommended. {why}"
)
