"""The sentence about a program that is not installed."""


def missing_program(name: str, package: str) -> str:
    """What is missing and how three families of distributions install it."""
    return (
        f"The program {name} is missing: install {package} (Debian and Ubuntu: apt install {package}; "
        f"Fedora: dnf install {package}; Arch: pacman -S {package})."
    )
