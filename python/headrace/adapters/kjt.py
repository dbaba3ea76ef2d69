"""Makes KeyedJaggedTensors of torchrec."""

from __future__ import annotations

import itertools
from typing import Any

from headrace.errors import needed


def to_kjt(jagged: Any) -> Any:
    """Returns the `torchrec.KeyedJaggedTensor` of a `JaggedTensor`, or of the `Jagged`
    that `to_torch` makes of it."""
    torchrec = needed("torchrec", f"{type(jagged).__name__}.to_kjt")
    import torch

    def tensor(part: Any) -> Any:
        ready = part is None or isinstance(part, torch.Tensor)
        return part if ready else torch.from_dlpack(part)

    return torchrec.KeyedJaggedTensor(
        keys=jagged.keys,
        values=tensor(jagged.values),
        weights=tensor(jagged.weights),
        lengths=tensor(jagged.lengths),
        offsets=tensor(jagged.offsets),
        stride=len(jagged.lengths) // len(jagged.keys),
        # torchrec would read them from the device.
        length_per_key=jagged.length_per_key,
        offset_per_key=list(itertools.accumulate(jagged.length_per_key, initial=0)),
    )
