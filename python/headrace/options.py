"""The values of options, for type checkers."""

from __future__ import annotations

from typing import Literal, TypeAlias

Message: TypeAlias = Literal[
    "auto", "example", "sequence", "raw", "elwc", "example_in_example"
]
OnCorrupt: TypeAlias = Literal["fail", "skip", "rescan"]
OnRowError: TypeAlias = Literal["fail", "skip"]
OnAbsent: TypeAlias = Literal["warn", "error", "ignore"]
Compression: TypeAlias = Literal["auto", "none", "gzip", "zlib", "snappy", "zstd"]
BytesAs: TypeAlias = Literal["binary", "large", "view", "string"]
BatchSize: TypeAlias = int | Literal["auto"]
