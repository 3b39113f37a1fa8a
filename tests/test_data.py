"""The shipped data are those of their manifest, and the check of wheels finds data that are not."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

import errai.data

ROOT = Path(__file__).parents[1]
SPEC = importlib.util.spec_from_file_location("check_wheel", ROOT / "scripts" / "check_wheel.py")
assert SPEC is not None
assert SPEC.loader is not None
check_wheel = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(check_wheel)


@pytest.fixture
def files() -> dict[str, bytes]:
    folder = Path(errai.data.__file__).parent
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_all_data_are_those_of_the_manifest(files):
    assert check_wheel.data_faults(files) == []


def test_damage_and_files_that_nobody_lists_are_found(files):
    assert check_wheel.data_faults({**files, "psopti.models": files["psopti.models"][:-1] + b"?"})
    assert check_wheel.data_faults({**files, "more.bin": b"1"})
    assert check_wheel.data_faults({name: data for name, data in files.items() if name != "psopti.models"})
    manifest = json.loads(files["manifest.json"])
    manifest["psopti.models"]["command"] = ""
    assert check_wheel.data_faults({**files, "manifest.json": json.dumps(manifest).encode()})


def test_data_that_grow_too_large_are_found(files, monkeypatch):
    monkeypatch.setattr(check_wheel, "MOST_DATA_BYTES", 1_000_000)
    assert any("more than" in fault for fault in check_wheel.data_faults(files))


def test_native_modules_must_be_those_of_the_wheels_tag() -> None:
    for tag, ends in (
        ("cp312-abi3-manylinux_2_28_aarch64", ".abi3.so"),
        ("cp312-abi3-macosx_11_0_arm64", ".abi3.so"),
        ("cp312-abi3-win_amd64", ".pyd"),
        ("cp311-cp311-manylinux_2_28_x86_64", ".cpython-311-*.so"),
        ("cp314-cp314t-manylinux_2_28_x86_64", ".cpython-314t-*.so"),
        ("cp311-cp311-win_amd64", ".cp311-win_amd64.pyd"),
    ):
        assert check_wheel.native_suffix(Path(f"errai-1.0.0-{tag}.whl")) == ends
