"""The kernel backends by name; each is imported only when it is used."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, get_args

from errai.errors import BackendError, InputError
from errai.kernels.checks import check_numbers, check_tree
from errai.kernels.layout import TreeArrays
from errai.kernels.protocol import Kernel, State
from errai.options import Backend

if TYPE_CHECKING:
    from errai.kernels.reference import Rule


def backend_names() -> Sequence[str]:
    """Return the names that :func:`make_kernel` takes, the default first."""
    return get_args(Backend)


def make_kernel(name: str, tree: TreeArrays, threads: int = 1, rule: Rule | None = None) -> Kernel:
    """Bind a backend to a tree; only the cpu backend uses ``threads``, and only the reference backend a local rule.

    Raises :class:`BackendError` if the backend is unknown, or lacks a package or a GPU here, and :class:`InputError` if
    the tree's payoffs, locks or reach are wrong.
    """
    if not isinstance(tree, TreeArrays) or not tree.streets:
        raise InputError(f"A kernel is made for TreeArrays with a street, not for {tree!r:.80}.")
    check_tree(tree)
    check_numbers(tree)
    if name == "reference":
        from errai.kernels.reference import ReferenceKernel

        return ReferenceKernel(tree, rule)
    if name == "cpu":
        from errai.kernels.cpu import CpuKernel

        return CpuKernel(tree, threads)
    if name == "cuda":
        from errai.kernels.cuda import CudaKernel

        return CudaKernel(tree)
    raise BackendError(f"There is no backend {name!r}; choose one of {', '.join(backend_names())}.")


def held(kernel: Kernel, state: State) -> AbstractContextManager[None]:
    """Return a context in which a backend that has memory of its own keeps the state there; it does nothing for the
    others.

    Inside it, read the state through ``state.arrays()``, or pass its arrays to the same kernel.
    """
    hold = getattr(kernel, "hold", None)
    return nullcontext() if hold is None else hold(state)


def claim(kernel: Kernel, state: State) -> None:
    """Allocate the memory of a new state and of the kernel before the first iteration."""
    state.claim()
    own = getattr(kernel, "claim", None)
    if own is not None:
        own(state)
