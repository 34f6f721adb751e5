"""`diskwright --help`: the commands, and how to begin."""

from collections.abc import Iterable, Mapping

from wizard.faces.showing.command import example_lines, help_width, item_lines, paragraph_lines, plain, root
from wizard.faces.showing.words import commands as words

EXAMPLES = (
    plain("inspect", says=words.FIRST_LOOK),
    root("demo", says=words.TRY),
    root("plan", "/dev/sdX", "--workload", "large-media", "-o", "media.json", says=words.WHOLE),
    plain("show", "media.json", says=words.SHOW),
    root("apply", "media.json", "--confirm", "SERIAL", says=words.APPLY),
    root("keep", says=words.KEEP),
    root("undo", says=words.UNDO),
)


def overview(folders: Mapping[str, Iterable[str]]) -> str:
    """The text; `folders` are the commands by what they are for, in their order."""
    width = help_width()
    lines = [str(words.USAGE), *paragraph_lines((words.WIZARD,), width)]
    for folder, names in folders.items():
        lines += ["", f"{words.FOLDERS[folder]()}:"]
        lines += [line for name in names for line in item_lines(name, words.SAYS[name](), width)]
    lines += ["", *example_lines(EXAMPLES, width)]
    codes = words.EXIT_CODES(codes=tuple(code() for code in words.CODES))
    lines += paragraph_lines((words.OWN_HELP, words.DEBUG, codes), width)
    return "\n".join((*lines, ""))
