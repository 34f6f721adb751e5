"""Debian packages: resolve with apt in a private folder, check against the lock file, and unpack without
installing.

Uses the mirror of the build machine's apt, which checks the archive's signature.
"""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
MERGED = ("bin", "lib", "lib64", "sbin")
"""Links to folders of the same name in usr."""


class NotBuilt(Exception):
    """Reason why the bundle cannot be built, as a sentence."""


@dataclass(frozen=True, slots=True, order=True)
class Deb:
    """A downloaded package."""

    name: str
    version: str
    architecture: str
    sha256: str
    file: Path

    @property
    def line(self) -> str:
        """Return the line of the lock file: `name version architecture sha256`."""
        return f"{self.name} {self.version} {self.architecture} {self.sha256}"


def needs(*programs: str) -> None:
    """Check that the programs are installed. Raises NotBuilt with the missing ones."""
    if missing := [program for program in programs if shutil.which(program) is None]:
        raise NotBuilt(f"This machine lacks {', '.join(missing)}.")


def run(*argv: str | Path, **environment: str) -> str:
    """Run a program and return stdout. Raises NotBuilt if the program is missing, or fails, with the end of
    the output."""
    needs(str(argv[0]))
    done = subprocess.run(
        [str(word) for word in argv],
        capture_output=True,
        text=True,
        errors="replace",
        env={**os.environ, **environment},
    )
    if done.returncode:
        raise NotBuilt(f"{' '.join(map(str, argv))[:200]}: {(done.stdout + done.stderr)[-2000:]}")
    return done.stdout


def mirror() -> str:
    """Return the URI of the Debian mirror that this machine's apt uses, without updates and security."""
    said = run("apt-get", "indextargets", "--format", "$(CREATED_BY) $(ORIGIN) $(CODENAME) $(REPO_URI)")
    for line in said.splitlines():
        kind, origin, codename, uri = line.split(" ", 3)
        if (kind, origin) == ("Packages", "Debian") and "-" not in codename:
            return uri
    raise NotBuilt("This machine's apt knows no mirror of Debian; `apt-get update` may be needed.")


class Apt:
    """apt with a private folder, in which no package is installed."""

    def __init__(self, folder: Path, suite: str) -> None:
        self._archives = folder / "archives"
        for place in (folder / "lists/partial", self._archives / "partial"):
            place.mkdir(parents=True)
        (folder / "status").touch()
        (folder / "sources.list").write_text(f"deb [signed-by={KEYRING}] {mirror()} {suite} main\n")
        (folder / "apt.conf").write_text(
            f"""
            Dir::State::lists "{folder}/lists";
            Dir::State::status "{folder}/status";
            Dir::Cache::archives "{self._archives}";
            Dir::Cache::pkgcache "";
            Dir::Cache::srcpkgcache "";
            Dir::Etc::sourcelist "{folder}/sources.list";
            Dir::Etc::sourceparts "-";
            APT::Architecture "amd64";
            APT::Architectures {{ "amd64"; }};
            APT::Install-Recommends "false";
            APT::Sandbox::User "root";
            Debug::NoLocking "true";
            """
        )
        self._environment = {"APT_CONFIG": f"{folder}/apt.conf", "DEBIAN_FRONTEND": "noninteractive"}
        run("apt-get", "update", "-q", **self._environment)

    def downloaded(self, names: Sequence[str]) -> list[Deb]:
        """Download the packages with all dependencies."""
        for file in self._archives.glob("*.deb"):
            file.unlink()
        run("apt-get", "install", "-q", "-y", "--download-only", *names, **self._environment)
        return sorted(map(_described, self._archives.glob("*.deb")))


def _described(file: Path) -> Deb:
    said = run("dpkg-deb", "--show", "--showformat=${Package} ${Version} ${Architecture}", file)
    name, version, architecture = said.split()
    return Deb(name, version, architecture, hashlib.sha256(file.read_bytes()).hexdigest(), file)


def check_lock(lock: Path, debs: Iterable[Deb]) -> None:
    """Check that exactly the packages of the lock file were downloaded. Raises NotBuilt with the
    differences."""
    wanted, found = {*lock.read_text().splitlines()}, {deb.line for deb in debs}
    if wanted != found:
        told = [f"- {line}" for line in sorted(wanted - found)] + [
            f"+ {line}" for line in sorted(found - wanted)
        ]
        raise NotBuilt("\n".join((f"The mirror has other packages than {lock.name} names:", *told)))


def unpack(debs: Iterable[Deb], root: Path) -> None:
    """Unpack all packages into a folder with merged /usr: bin and others are links into usr. Raises
    NotBuilt."""
    for name in MERGED:
        (root / "usr" / name).mkdir(parents=True, exist_ok=True)
        if not (root / name).is_symlink():
            (root / name).symlink_to(f"usr/{name}")
    for deb in debs:
        packed = subprocess.Popen(("dpkg-deb", "--fsys-tarfile", str(deb.file)), stdout=subprocess.PIPE)
        done = subprocess.run(
            ("tar", "--extract", "--keep-directory-symlink", "--directory", str(root)), stdin=packed.stdout
        )
        if packed.wait() or done.returncode:
            raise NotBuilt(f"{deb.file.name} cannot be unpacked.")
