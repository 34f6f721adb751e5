"""The loads of a trial, by name."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from wizard.benchmark.loads import large_files, servers, trees
from wizard.benchmark.loads.script import Draft, LoadPhase
from wizard.model.said import KIB, MIB
from wizard.process.program import find


@dataclass(frozen=True, slots=True)
class Load:
    """A kind of load. Scale 1.0 takes 8 to 10 seconds on a hard disk. `programs` are required besides
    Python."""

    compose: Callable[[Draft], tuple[LoadPhase, ...]]
    programs: tuple[str, ...] = ()

    def phases(self, scale: float, seed: int) -> tuple[LoadPhase, ...]:
        """Return the phases in order."""
        return self.compose(Draft(seed, scale))

    @property
    def missing(self) -> tuple[str, ...]:
        """Required programs that are not installed. The load cannot run without them."""
        return tuple(program for program in self.programs if find(program) is None)


LOADS = {
    "backup": Load(servers.backup),
    "dd-1k": Load(partial(large_files.dd, KIB)),
    "dd-1m": Load(partial(large_files.dd, MIB)),
    "fileserver": Load(servers.FILESERVER),
    "fio-random": Load(large_files.fio_random, programs=("fio",)),
    "kernel-tree": Load(trees.kernel_tree),
    "large-file": Load(large_files.large_file),
    "many-files": Load(trees.many_files),
    "patterns": Load(large_files.patterns),
    "postmark": Load(servers.postmark),
    "random-io": Load(large_files.random_io),
    "random-sync": Load(large_files.random_sync),
    "record-sizes": Load(large_files.record_sizes),
    "rsync": Load(trees.rsync),
    "varmail": Load(servers.VARMAIL),
    "videoserver": Load(servers.videoserver),
    "webproxy": Load(servers.WEBPROXY),
}
"""All loads, including those with missing programs."""
