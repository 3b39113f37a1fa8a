"""Backends by name; each is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext

from errai.errors import BackendError
from errai.kernels.layout import TreeArrays
from errai.kernels.protocol import Kernel, State


def backend_names() -> Sequence[str]:
    """Names that :func:`make_kernel` takes, the default first."""
    return ("cpu", "reference", "cuda")


def make_kernel(name: str, tree: TreeArrays, threads: int = 1) -> Kernel:
    """Bind a backend to a tree; ``threads`` are the cpu's.

    Raises :class:`BackendError` if the backend is unknown, or lacks a package or a GPU here.
    """
    if name == "reference":
        from errai.kernels.reference import ReferenceKernel

        return ReferenceKernel(tree)
    if name == "cpu":
        from errai.kernels.cpu import CpuKernel

        return CpuKernel(tree, threads)
    if name == "cuda":
        from errai.kernels.cuda import CudaKernel

        return CudaKernel(tree)
    raise BackendError(f"There is no backend {name!r}; choose one of {', '.join(backend_names())}.")


def held(kernel: Kernel, state: State) -> AbstractContextManager[None]:
    """A block in which a backend with memory of its own keeps the state there; nothing for the others.

    Inside, read the state through ``state.arrays()``, or hand its arrays to the same kernel.
    """
    hold = getattr(kernel, "hold", None)
    return nullcontext() if hold is None else hold(state)


def claim(kernel: Kernel, state: State) -> None:
    """Take a new state's memory, and the kernel's own, before the first iteration has to."""
    state.claim()
    own = getattr(kernel, "claim", None)
    if own is not None:
        own(state)
