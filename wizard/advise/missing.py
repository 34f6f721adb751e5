"""The sentence about programs that are not installed."""

from collections.abc import Sequence


def missing_programs(names: Sequence[str], package: str, fedora: str = "", arch: str = "") -> str:
    """What is missing of a package, and how three families of distributions install that; `fedora` and `arch`
    are its names there."""
    are = (
        f"The program {names[0]} is"
        if len(names) == 1
        else f"The programs {', '.join(names[:-1])} and {names[-1]} are"
    )
    return (
        f"{are} missing: install {package} (Debian and Ubuntu: apt install {package}; "
        f"Fedora: dnf install {fedora or package}; Arch: pacman -S {arch or package})."
    )
