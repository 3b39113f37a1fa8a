"""Backends by name; each is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence

from errai.errors import BackendError
from errai.kernels.layout import TreeArrays
from errai.kernels.protocol import Kernel


def backend_names() -> Sequence[str]:
    """Names that :func:`make_kernel` takes, the default first."""
    return ("cpu", "reference")


def make_kernel(name: str, tree: TreeArrays, threads: int = 1) -> Kernel:
    """Bind a backend to a tree.  Raises :class:`BackendError` for an unknown or missing backend."""
    if name == "reference":
        from errai.kernels.reference import ReferenceKernel

        return ReferenceKernel(tree)
    if name == "cpu":
        from errai.kernels.cpu import CpuKernel

        return CpuKernel(tree, threads)
    raise BackendError(f"There is no backend {name!r}; choose one of {', '.join(backend_names())}.")
