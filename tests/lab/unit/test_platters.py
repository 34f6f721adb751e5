"""The lab's timing model of a hard disk, the reference for tests of the write probe and the benchmark."""

from random import Random
from statistics import mean

from tests.lab.drives.platters import BYTES_PER_SECOND, IDLE_SECONDS, KIB, MIB, TURN_SECONDS, Platters

SIZE_BYTES = 1024 * MIB
CACHE_BYTES = 8 * MIB
PIECE_BYTES = 64 * KIB


def shingled() -> Platters:
    return Platters(SIZE_BYTES, shingled=True, cache_bytes=CACHE_BYTES)


def random_writes(platters: Platters, count: int, seed: int = 1) -> list[float]:
    """Write at random places, each after the previous one."""
    now, costs = 0.0, []
    for index in Random(seed).sample(range(SIZE_BYTES // PIECE_BYTES // 2), count):
        costs.append(platters.write(now, 2 * index * PIECE_BYTES, PIECE_BYTES))
        now = platters.serve(now, costs[-1])
    return costs


def stream(platters: Platters, start: int, size: int, request: int) -> float:
    """Return bytes per second."""
    return size / sum(platters.write(0.0, place, request) for place in range(start, start + size, request))


def test_shingled_drive_slows_down_once_its_cache_is_full() -> None:
    platters = shingled()
    costs = random_writes(platters, 400)
    full = CACHE_BYTES // PIECE_BYTES
    assert max(costs[:full]) < 0.01
    assert mean(costs[full:]) > 20 * mean(costs[:full])
    assert platters.used_bytes <= CACHE_BYTES


def test_sequential_writes_keep_their_speed_for_any_request_size() -> None:
    for request in (64 * KIB, 128 * KIB, 512 * KIB):
        platters = shingled()
        before = stream(platters, 512 * MIB, 32 * MIB, request)
        used = platters.used_bytes
        random_writes(platters, 300)
        after = stream(platters, 640 * MIB, 32 * MIB, request)
        assert used <= request
        assert min(before, after) > BYTES_PER_SECOND * 0.8


def test_conventional_drive_keeps_its_speed() -> None:
    platters = Platters(SIZE_BYTES)
    costs = random_writes(platters, 2000)
    assert mean(costs[:500]) * 0.8 < mean(costs[-500:]) < mean(costs[:500]) * 1.2
    assert platters.used_bytes == 0


def test_idle_drive_regains_cache_space() -> None:
    platters = shingled()
    random_writes(platters, 200)
    assert platters.used_bytes > CACHE_BYTES * 0.9
    platters.read(1e6, 0, 4096)
    assert platters.used_bytes == 0
    busy = shingled()
    now = 0.0
    for index in range(100):
        now = busy.serve(now, busy.write(now, 2 * index * PIECE_BYTES, PIECE_BYTES)) + IDLE_SECONDS / 2
    assert busy.used_bytes == 100 * PIECE_BYTES


def test_rewriting_needs_no_extra_cache_and_discarding_frees_it() -> None:
    platters = shingled()
    for _ in range(1000):
        assert platters.write(0.0, 100 * MIB, PIECE_BYTES) < 0.01
        platters.write(0.0, 300 * MIB, PIECE_BYTES)
    assert platters.used_bytes == 2 * PIECE_BYTES
    platters.trim(0, SIZE_BYTES)
    assert platters.used_bytes == 0


def test_random_writes_are_read_from_the_cache_in_write_order() -> None:
    platters = Platters(SIZE_BYTES, shingled=True, cache_bytes=CACHE_BYTES)
    starts = [
        2 * index * PIECE_BYTES for index in Random(2).sample(range(SIZE_BYTES // PIECE_BYTES // 2), 50)
    ]
    for start in starts:
        platters.write(0.0, start, 4 * KIB)
    platters.read(0.0, starts[0], 4 * KIB)
    assert max(platters.read(0.0, start, 4 * KIB) for start in starts[1:]) < 0.001
    assert platters.read(0.0, starts[0] + PIECE_BYTES, 4 * KIB) > TURN_SECONDS / 2
    plain = Platters(SIZE_BYTES)
    for start in starts:
        plain.write(0.0, start, 4 * KIB)
    assert min(plain.read(0.0, start, 4 * KIB) for start in starts) > TURN_SECONDS / 2
    # Left alone, it brings all of it home.
    platters.read(1e6, 0, 4 * KIB)
    assert all(platters.place_of(start) == start for start in starts)


def test_misaligned_write_costs_one_more_rotation() -> None:
    for make in (shingled, lambda: Platters(SIZE_BYTES)):
        aligned = make().write(0.0, 500 * MIB, 4096)
        misaligned = make().write(0.0, 500 * MIB + 512, 4096)
        assert abs(misaligned - aligned - TURN_SECONDS) < 0.001


def test_requests_wait_for_each_other() -> None:
    platters = Platters(SIZE_BYTES)
    assert platters.serve(10.0, 0.5) == 10.5
    assert platters.serve(10.1, 0.5) == 11.0
    assert platters.serve(20.0, 0.5) == 20.5
