"""``errai serve``: what can keep it from starting, and what it says then."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest


def test_help_says_what_it_does(errai) -> None:
    text = errai("serve", "--help").printed()
    for word in ("127.0.0.1", "--host", "--port", "--folder", "--no-browser", "token", "ERRAI_TOKEN"):
        assert word in text


def test_the_missing_extra_is_named() -> None:
    # In a process of its own: a module that is imported twice is two modules to the tests that come after this one.
    code = "import sys; sys.modules['uvicorn'] = None; from errai.cli.main import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run([sys.executable, "-c", code, "serve", "--no-browser"], capture_output=True, text=True)
    assert done.returncode == 1
    assert "pip install 'errai[web]'" in done.stderr


def test_a_port_in_use_or_impossible_is_named(tmp_path: Path, errai) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        text = errai("serve", "--no-browser", "--port", port, "--folder", str(tmp_path)).refusal()
        assert f"Port {port} cannot be used" in text
        assert "--port" in text
    assert "65535" in errai("serve", "--no-browser", "--port", "70000", "--folder", str(tmp_path / "new")).refusal(2)
    assert not (tmp_path / "new").exists()


def test_an_address_that_is_none_or_of_another_machine_is_named(tmp_path: Path, errai) -> None:
    words = ("serve", "--no-browser", "--port", "0", "--folder", str(tmp_path), "--host")
    assert "'localhost' is not an IPv4 address" in errai(*words, "localhost").refusal(2)
    assert "192.0.2.1 is not an address of this machine" in errai(*words, "192.0.2.1").refusal()


def test_an_unusable_folder_is_named(tmp_path: Path, errai) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "under"):
        text = errai("serve", "--no-browser", "--port", "0", "--folder", str(folder)).refusal()
        assert f"{folder} cannot be used" in text
        assert "--folder" in text


def test_a_weak_token_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, errai) -> None:
    for token in ("", "short", "no spaces in tokens please"):
        monkeypatch.setenv("ERRAI_TOKEN", token)
        assert "16 to 200" in errai("serve", "--no-browser", "--port", "0", "--folder", str(tmp_path)).refusal()
