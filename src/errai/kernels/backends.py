"""The kernel backends by name; each is imported only when it is used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, get_args

from errai.errors import BackendError, InputError
from errai.kernels.checks import check_numbers, check_tree
from errai.kernels.layout import TreeArrays
from errai.kernels.protocol import Kernel
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
