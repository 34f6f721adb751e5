"""Shared code of measurements."""

import sys
from pathlib import Path

import pytest

from tests.bench.rows import check_byte_code


def test_benchmark_is_refused_if_every_start_compiles_everything(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path))
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    with pytest.raises(SystemExit, match="PYTHONDONTWRITEBYTECODE"):
        check_byte_code()
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE")
    check_byte_code()
