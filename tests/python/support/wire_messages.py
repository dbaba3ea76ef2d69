"""tf.train messages as bytes, in as many encodings as protobuf accepts.

`Value` is what one Feature means; a `Message` has features, and feature lists
where it is a SequenceExample. `canonical` writes it in the one way that every
reader takes; `Wild` in a random one.
"""

from __future__ import annotations

import dataclasses
import random

from wire_bytes import (
    UNSET,
    blobs,
    example,
    field,
    packed,
    sequence_example,
    varint,
)

KINDS = ("bytes", "float", "int64")
_FIELDS = {"bytes": 1, "float": 2, "int64": 3}


@dataclasses.dataclass
class Value:
    """A Feature: its kind, None where it is unset, and its values.

    Floats are their 32 bits as an int. `packed` forbids the unpacked form.
    """

    kind: str | None = None
    values: list = dataclasses.field(default_factory=list)
    packed: bool = False


@dataclasses.dataclass
class Message:
    """Features by name; `lists` of a SequenceExample, else None."""

    features: dict[str, Value]
    lists: dict[str, list[Value]] | None = None


def numbers(value: Value) -> bytes:
    """The numbers of a list, without tags."""
    if value.kind == "float":
        return b"".join(bits.to_bytes(4, "little") for bits in value.values)
    return b"".join(map(varint, value.values))


def _canonical_feature(value: Value) -> bytes:
    if value.kind is None:
        return UNSET
    if value.kind == "bytes":
        return blobs(*value.values)
    return packed(_FIELDS[value.kind], numbers(value))


def canonical(message: Message) -> bytes:
    """Keys sorted, numbers packed, nothing twice."""
    features = {key: _canonical_feature(value)
                for key, value in sorted(message.features.items())}
    if message.lists is None:
        return example(features)
    return sequence_example(features, {
        key: list(map(_canonical_feature, steps))
        for key, steps in sorted(message.lists.items())})


class Wild:
    """Writes messages in random encodings, all of which mean the same.

    Args:
        rng: decides.
        strict: whether to write only what TensorFlow's own parser reads as
            protobuf does. Otherwise `rules` has afterwards the rules of
            docs/semantics.md that say where it reads something else.
    """

    def __init__(self, rng: random.Random, strict: bool) -> None:
        self.rng = rng
        self.strict = strict
        self.rules: set[str] = set()

    def encode(self, message: Message) -> bytes:
        """The bytes of one record."""
        sequence = message.lists is not None
        pieces = self._pieces(1, self._features(message.features, sequence))
        if message.lists is not None:
            entries = []
            for key, steps in message.lists.items():
                body = b"".join(
                    self._delimited(1, self._feature(step)) for step in steps
                )
                entries.append(self._entry(key, body, sequence=True))
            self.rng.shuffle(entries)
            for piece in self._pieces(2, entries):
                pieces.insert(self.rng.randint(0, len(pieces)), piece)
        for _ in range(self._geometric(0.15)):
            at = self.rng.randint(0, len(pieces))
            pieces.insert(at, self._unknown_of_record(sequence))
        return b"".join(pieces)

    def _chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def _geometric(self, probability: float) -> int:
        count = 0
        while self._chance(probability):
            count += 1
        return count

    def _deviate(self, rule: str, probability: float = 0.04) -> bool:
        """Whether to write what `rule` allows and TensorFlow does not."""
        if self.strict or not self._chance(probability):
            return False
        self.rules.add(rule)
        return True

    def _delimited(self, number: int, body: bytes) -> bytes:
        length = self.rng.randint(1, 5) if self._chance(0.05) else 1
        return field(number, body, length)

    def _pieces(self, number: int, entries: list[bytes]) -> list[bytes]:
        """Entries of a map, spread over messages that are merged."""
        parts: list[list[bytes]] = [[]]
        for entry in entries:
            if self._chance(0.1):
                parts.append([])
            parts[-1].append(entry)
            if self._deviate("W4 below the record", 0.02):
                parts[-1].append(self._unknown())
        if parts == [[]] and self._chance(0.5):
            return []
        return [self._delimited(number, b"".join(part)) for part in parts]

    def _unknown(self) -> bytes:
        """A field that no message has."""
        return self.rng.choice((
            b"\x78\x05", b"\x79" + self.rng.randbytes(8), b"\x7a\x03abc",
            b"\x7d" + self.rng.randbytes(4), b"\x7b\x08\x01\x7c",
        ))

    def _unknown_of_record(self, sequence: bool) -> bytes:
        """As TensorFlow skips it; a group is one that it does not."""
        if self._deviate("W4 groups", 0.2):
            return b"\x7b\x08\x01\x7c"
        choices = [b"\x78\x05", b"\x79" + bytes(8), b"\x7a\x03abc", b"\x7d" + bytes(4),
                   b"\x08\x05", b"\x0d" + bytes(4)]
        if not sequence:
            choices.append(b"\x12\x02zz")
        return self.rng.choice(choices)

    def _features(self, features: dict[str, Value], sequence: bool) -> list[bytes]:
        """Entries in random order, some after others that they replace."""
        entries = []
        for key, value in features.items():
            entry = self._entry(key, self._feature(value), sequence, value.kind is None)
            entries.append((self.rng.random(), entry))
            if self._chance(0.08) and self._may_follow(value):
                loser = random_value(self.rng)
                before = entries[-1][0] * self.rng.random()
                entries.append(
                    (before, self._entry(key, self._feature(loser), sequence)))
        return [entry for _, entry in sorted(entries, key=lambda pair: pair[0])]

    def _may_follow(self, value: Value) -> bool:
        return value.kind is not None or self._deviate("M2 unset last", 0.5)

    def _entry(
        self, key: str, body: bytes, sequence: bool, unset: bool = False
    ) -> bytes:
        parts = [self._delimited(1, key.encode()), self._delimited(2, body)]
        if unset and self._deviate("M3 entries", 0.1):
            parts.pop()
        elif self._deviate("M3 entries"):
            parts.insert(0, field(1, b"another key"))
        elif self._deviate("W4 below the record", 0.02):
            parts.insert(self.rng.randint(0, 2), self._unknown())
        swapped = self._deviate("M3 entries") if sequence else self._chance(0.2)
        if swapped and len(parts) == 2:
            parts.reverse()
        return self._delimited(1, b"".join(parts))

    def _feature(self, value: Value) -> bytes:
        out = b""
        if value.kind is not None:
            if self._deviate("M4"):
                other = random_value(self.rng)
                if other.kind not in (None, value.kind):
                    out += self._list(other, other.values)
            cut = len(value.values)
            if self._deviate("M4"):
                cut = self.rng.randint(0, cut)
                out += self._list(value, value.values[:cut])
                out += self._list(value, value.values[cut:])
            else:
                out += self._list(value, value.values)
        if self._deviate("W4 below the record", 0.02):
            out = self._unknown() + out if self._chance(0.5) else out + self._unknown()
        return out

    def _list(self, value: Value, values: list) -> bytes:
        part = Value(value.kind, values, value.packed)
        if value.kind == "bytes":
            body = b"".join(self._delimited(1, item) for item in values)
        elif self._deviate("W6 packed and not"):
            cut = self.rng.randint(0, len(values))
            body = self._numbers(Value(value.kind, values[:cut]))
            body += self._numbers(Value(value.kind, values[cut:]))
        else:
            body = self._numbers(part)
        assert value.kind is not None
        return self._delimited(_FIELDS[value.kind], body)

    def _numbers(self, value: Value) -> bytes:
        if not value.values and self._chance(0.7):
            return b""
        if value.packed or self._chance(0.6):
            return self._delimited(1, self._chunk(value))
        if value.kind == "float":
            return b"".join(
                b"\x0d" + bits.to_bytes(4, "little") for bits in value.values)
        return b"".join(b"\x08" + varint(number) for number in value.values)

    def _chunk(self, value: Value) -> bytes:
        if value.kind == "float" or self._chance(0.9):
            return numbers(value)
        return b"".join(
            varint(number, self.rng.randint(1, 10)) for number in value.values)


def random_int64(rng: random.Random) -> int:
    """Of all magnitudes, negative ones too."""
    return rng.choice((1, -1)) * rng.getrandbits(rng.choice((1, 7, 14, 35, 63)))


_FLOATS = (0, 0x80000000, 0x7FC00000, 0x7F800001, 0xFFC12345, 0x7F800000, 1,
           0x3F800000)


def random_item(rng: random.Random, kind: str):
    """One value of a kind: NaNs with payloads, bytes with NULs."""
    if kind == "int64":
        return random_int64(rng)
    if kind == "float":
        return rng.choice(_FLOATS) if rng.random() < 0.3 else rng.getrandbits(32)
    return rng.randbytes(rng.choice((0, 1, 3, 12, 40)))


def random_value(rng: random.Random) -> Value:
    """A Feature of any kind, or unset; floats are packed, see `mistaken`."""
    kind = rng.choice((*KINDS, None))
    if kind is None:
        return Value()
    return Value(kind, [random_item(rng, kind) for _ in range(rng.randint(0, 4))], True)
