"""Show versions, processor, memory and GPU, and what is missing."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib import metadata
from typing import Any

from errai.cli.arguments import Arguments, Options
from errai.cli.output import ERROR, OK, version, write_facts, write_json
from errai.console import bytes_text
from errai.running.system import machine_memory, processors


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add.json()


def run(options: Options) -> int:
    """Examine the machine and write the report; the exit code is 1 if Errai cannot solve here."""
    report = examine()
    if options.json:
        write_json(report)
    else:
        _write(report)
    return OK if not report["problems"] else ERROR


def examine() -> dict[str, Any]:
    """Return the findings as plain values; ``docs/cli.md`` lists the fields."""
    needs = requirements()
    base = [need for need in needs if need.extra is None]
    instruction_set, fault = _native_kernel()
    problems = [fault] if fault is not None else []
    if lacking := base_lacks():
        # Whether the kernel loads without them says nothing.
        words = f"This Python lacks {', '.join(lacking)}."
        problems = [{"problem": words, "remedy": install_command(lacking)}]
    extras = {
        extra: {"missing": missing, "remedy": f"pip install 'errai[{extra}]'" if missing else None}
        for extra in dict.fromkeys(need.extra for need in needs if need.extra is not None)
        for missing in [[need.name for need in needs if need.extra == extra and not need.met]]
    }
    total, free = machine_memory()
    return {
        "errai": version(),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": {need.name: need.installed for need in base},
        "native_kernel": {"available": fault is None, "instruction_set": instruction_set},
        "threads": processors(),
        "memory_bytes": {"total": total, "available": free},
        "gpu": _gpus(),
        "torch": next((need.installed for need in needs if need.name == "torch"), None),
        "compiler": next((found for name in ("c++", "g++", "clang++") if (found := shutil.which(name))), None),
        "extras": extras,
        "problems": problems,
    }


def _native_kernel() -> tuple[str | None, dict[str, str] | None]:
    from errai.errors import ErraiError

    try:
        from errai.kernels.cpu import instruction_set

        return instruction_set(), None
    except (ErraiError, ImportError) as error:
        remedy = "sudo apt install g++; then, in the folder of Errai's sources: pip install --no-deps ."
        return None, {"problem": f"The native kernel does not load: {error}", "remedy": remedy}


def _gpus() -> list[str]:
    """Return the names of the NVIDIA GPUs that nvidia-smi lists."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return []
    command = [tool, "--query-gpu=name,memory.total", "--format=csv,noheader"]
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return []
    return [line.strip() for line in result.stdout.splitlines() if line.strip()]


def _write(report: dict[str, Any]) -> None:
    memory = report["memory_bytes"]
    facts = [
        ("python", f"{report['python']} ({sys.executable})"),
        ("system", report["platform"]),
        *((name, found or "missing") for name, found in report["packages"].items()),
        ("native kernel", report["native_kernel"]["instruction_set"] or "not available"),
        ("threads", str(report["threads"])),
    ]
    if memory["total"] is not None and memory["available"] is not None:
        facts.append(("memory", f"{bytes_text(memory['total'])}, {bytes_text(memory['available'])} available"))
    facts.append(("GPU", "; ".join(report["gpu"]) or "none found"))
    facts.append(("torch", report["torch"] or "not installed (not needed to solve)"))
    facts.append(("compiler", report["compiler"] or "none found (needed only to build from source)"))
    for name, extra in report["extras"].items():
        missing = ", ".join(extra["missing"])
        facts.append((f"extra {name}", f"lacks {missing}; install it: {extra['remedy']}" if missing else "complete"))
    write_facts(f"errai {report['errai']}", facts)
    for problem in report["problems"]:
        sys.stdout.write(f"\n{problem['problem']}\n  remedy: {problem['remedy']}\n")
    if not report["problems"]:
        sys.stdout.write("\nEverything that solving needs is installed.\n")


# --- what Errai needs, by the package's metadata; nothing is imported that may be missing ---


@dataclass(frozen=True)
class Requirement:
    """A package that Errai, or one of its extras, is declared to need."""

    name: str
    text: str
    """The name with the version, as pip takes it: ``zlib-ng>=0.5``."""
    extra: str | None
    """The extra that it belongs to; None for what every use needs."""

    @property
    def installed(self) -> str | None:
        """The installed version; None if there is none."""
        try:
            return metadata.version(self.name)
        except metadata.PackageNotFoundError:
            return None

    @property
    def met(self) -> bool:
        """Whether a version that is new enough is installed."""
        least = re.search(r">=([\d.]+)", self.text)
        found = self.installed
        return found is not None and (least is None or _numbers(found) >= _numbers(least[1]))


def _numbers(version: str) -> list[int]:
    """Return the numbers of a release, ``2.13.0+cpu``: 2, 13, and no zeros at the end."""
    match = re.match(r"\d+(\.\d+)*", version)
    numbers = [int(part) for part in match[0].split(".")] if match else []
    while numbers and not numbers[-1]:
        numbers.pop()
    return numbers


FOR_DEVELOPERS = ("test", "check")
"""Extras for work on Errai itself."""


def requirements() -> list[Requirement]:
    """Everything that the package declares; nothing where it runs without having been installed."""
    try:
        declared = metadata.requires("errai") or []
    except metadata.PackageNotFoundError:
        return []
    found = []
    for line in declared:
        text, _, condition = (part.strip() for part in line.partition(";"))
        extra = re.search(r"extra\s*==\s*[\"']([^\"']+)", condition)
        name = re.match(r"[\w.-]+", text)
        assert name is not None, line
        found.append(Requirement(name[0], text, extra[1] if extra else None))
    return found


def base_lacks() -> list[str]:
    """Return what every use needs and this Python lacks, as pip takes it."""
    return [need.text for need in requirements() if need.extra is None and not need.met]


def install_command(texts: list[str]) -> str:
    """Return the command that installs these."""
    return " ".join(["pip install", *(f"'{text}'" for text in texts)])


def lack_text(missing_module: str | None) -> str | None:
    """Return what is missing where a module was not found, and the command that installs it; None for Errai's own."""
    module = (missing_module or "errai").partition(".")[0]
    if lacking := base_lacks():
        return f"Errai needs packages that this Python lacks: {', '.join(lacking)}. {install_command(lacking)}"
    # The name of a package tells that of its module, as far as is needed here.
    extras = [n.extra for n in requirements() if re.sub(r"[-.]", "_", n.name).lower() == module]
    # What is needed for tests as well as for work is named by the extra for work.
    extra = min(extras, key=lambda name: name in FOR_DEVELOPERS, default=None)
    if extra is not None:
        return f"This needs the extra {extra!r} of Errai: pip install 'errai[{extra}]'"
    return None if module == "errai" else f"This needs the module {module!r}, which this Python does not have."
