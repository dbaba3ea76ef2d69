"""Compares what the torch adapter makes."""

from __future__ import annotations

import torch


def same(left, right):
    """Asserts that two values have the same types, layouts, shapes and values."""
    assert type(left) is type(right)
    if isinstance(left, torch.Tensor):
        assert left.dtype == right.dtype and left.shape == right.shape
        if left.is_sparse:
            assert left.is_coalesced() == right.is_coalesced()
            left, right = left.to_dense(), right.to_dense()
        assert torch.equal(left, right)
    elif isinstance(left, (list, tuple)):
        assert len(left) == len(right)
        for pair in zip(left, right):
            same(*pair)
    elif isinstance(left, dict):
        assert list(left) == list(right)
        same(list(left.values()), list(right.values()))
    else:
        assert left == right
