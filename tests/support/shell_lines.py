"""Lines of the shell on the pages, run as a reader runs them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path


def run(line: str, folder: Path, seconds: float) -> tuple[int, str]:
    """Run a line of the shell; what still runs after the seconds gets Ctrl-C, as from a terminal."""
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "BROWSER": "true"}
    with subprocess.Popen(
        ["bash", "-c", line], cwd=folder, env=environment, text=True, start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        try:
            _, said = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGINT)
            try:
                _, said = process.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                raise
        return process.returncode, said
