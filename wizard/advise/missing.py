"""The sentence about a program that is not installed."""


def missing_program(name: str, package: str, fedora: str = "", arch: str = "") -> str:
    """What is missing and how three families of distributions install it; `fedora` and `arch` where those call the package otherwise."""
    return (
        f"The program {name} is missing: install {package} (Debian and Ubuntu: apt install {package}; "
        f"Fedora: dnf install {fedora or package}; Arch: pacman -S {arch or package})."
    )
