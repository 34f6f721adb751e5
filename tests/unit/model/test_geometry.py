"""Alignment arithmetic, compared with the kernel's formulas and with manual examples."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wizard.model.geometry import Geometry
from wizard.model.said import MIB

E512 = Geometry(512, 4096, 0, 4096, 0)
RAID = Geometry(512, 4096, 0, 65536, 196608)
JUMPERED = Geometry(512, 4096, 3584, 4096, 0)

geometries = st.builds(
    Geometry,
    st.just(512),
    st.sampled_from([512, 4096, 8192]),
    st.sampled_from([0, 512, 3584]),
    st.sampled_from([512, 4096, 65536, 524288]),
    st.sampled_from([0, 33553920, 16776704, 16773120, 65536, 196608, 524288, MIB, 3 * MIB, 5 * 65536]),
)


@pytest.mark.parametrize(("sector", "expected"), [(34, 3072), (40, 0), (63, 512), (2048, 0)])
def test_kernel_formula_on_a_512e_drive(sector: int, expected: int) -> None:
    assert E512.misalignment_bytes(sector * 512) == expected


def test_start_aligned_for_the_drive_is_not_aligned_for_a_raid_chunk() -> None:
    assert RAID.misalignment_bytes(40 * 512) == 45056


def test_alignment_offset_moves_the_aligned_starts() -> None:
    assert JUMPERED.misalignment_bytes(7 * 512) == 0
    assert JUMPERED.misalignment_bytes(8 * 512) != 0


@pytest.mark.parametrize("bogus", [33553920, 16776704, 16773120, 33550336, 1000, 0])
def test_overflowed_optimal_size_is_ignored(bogus: int) -> None:
    assert Geometry(512, 512, 0, 512, bogus).plausible_optimal_io_bytes is None


@pytest.mark.parametrize("meant", [65536, MIB, 3 * 524288, 10 * MIB])
def test_stripe_width_is_accepted(meant: int) -> None:
    assert Geometry(512, 4096, 0, 4096, meant).plausible_optimal_io_bytes == meant


@given(geometries, st.integers(0, 2**44))
def test_aligned_starts_satisfy_the_kernel_and_bracket_the_position(
    geometry: Geometry, position: int
) -> None:
    up, down = geometry.align_up(position), geometry.align_down(position)
    for start in (up, down):
        assert (start - geometry.alignment_offset_bytes) % geometry.granularity_bytes == 0
        if geometry.alignment_offset_bytes < geometry.granularity_bytes:
            assert geometry.misalignment_bytes(start) == 0
    assert position <= up < position + geometry.grain_bytes + geometry.alignment_offset_bytes
    assert down <= max(position, geometry.alignment_offset_bytes)


@given(geometries)
def test_grain_is_a_sane_multiple_of_a_mebibyte(geometry: Geometry) -> None:
    assert geometry.grain_bytes % MIB == 0
    assert geometry.grain_bytes <= 64 * MIB


@pytest.mark.parametrize(
    ("logical", "physical", "name"),
    [(512, 512, "512n"), (512, 4096, "512e"), (4096, 4096, "4Kn"), (520, 4160, "520/4160")],
)
def test_sector_formats_have_their_names(logical: int, physical: int, name: str) -> None:
    assert Geometry(logical, physical, 0, physical, 0).sector_format == name
