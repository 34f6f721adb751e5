"""`diskwright --help`: the commands, and how to begin."""

from collections.abc import Iterable

from wizard.faces.showing.command import example_lines, help_width, paragraph_lines, plain, root
from wizard.faces.showing.words import commands as words

EXAMPLES = (
    plain("inspect", says=words.FIRST_LOOK()),
    root("demo", says=words.TRY()),
    root("plan", "/dev/sdX", "--workload", "large-media", "-o", "media.json", says=words.WHOLE()),
    plain("show", "media.json", says=words.SHOW()),
    root("apply", "media.json", "--confirm", "SERIAL", says=words.APPLY()),
    root("keep", says=words.KEEP()),
    root("undo", says=words.UNDO()),
)


def overview(names: Iterable[str]) -> str:
    """The text; `names` are the commands, in their order."""
    width = help_width()
    lines = [str(words.USAGE()), *paragraph_lines((words.WIZARD(),), width), ""]
    for name in names:
        lines.append(f"    {name:<10} {words.SAYS[name]()}")
    lines += ["", *example_lines(EXAMPLES, width)]
    codes = words.EXIT_CODES(codes=tuple(code() for code in words.CODES))
    lines += paragraph_lines((words.OWN_HELP(), words.DEBUG(), codes), width)
    return "\n".join((*lines, ""))
