"""Random schemas that are nearly right for a dataset."""

from __future__ import annotations

import random
from typing import Any

from tensorflow_metadata.proto.v0 import schema_pb2

ENVIRONMENTS = ("TRAINING", "SERVING")
_OTHER_DOMAINS = (
    "url_domain",
    "mid_domain",
    "time_domain",
    "time_of_day_domain",
    "natural_language_domain",
)
_TEXTS = (b"red", b"green", b"blue", b"z", b"", b"ok", b"short", b"1", b"0", b"true")


def leaves_of(schema: schema_pb2.Schema) -> list[tuple[tuple[str, ...], Any]]:
    """All features of the schema, those of structs too, and their paths."""
    leaves = [((feature.name,), feature) for feature in schema.feature]
    for struct in schema.feature:
        for child in struct.struct_domain.feature:
            leaves.append(((struct.name, child.name), child))
    return leaves


def random_schema(rng: random.Random, inferred: schema_pb2.Schema) -> schema_pb2.Schema:
    """Some features of the schema changed, and some things around them."""
    schema = schema_pb2.Schema()
    schema.CopyFrom(inferred)
    for _, feature in leaves_of(schema):
        if feature.type == schema_pb2.STRUCT:
            changes = rng.sample((_presence, _lengths, _stage), rng.randrange(3))
        else:
            changes = rng.choices(_CHANGES, k=rng.choice((0, 1, 1, 2, 3)))
        for change in changes:
            change(rng, feature, schema)
    for change in rng.choices(_AROUND, k=rng.randrange(3)):
        change(rng, schema)
    return schema


def _presence(rng: random.Random, feature: Any, schema: Any) -> None:
    feature.ClearField("presence")
    if rng.random() < 0.7:
        feature.presence.min_fraction = rng.choice((-1, 0, 0.3, 0.95, 1, 2))
    if rng.random() < 0.7:
        feature.presence.min_count = rng.choice((-1, 0, 1, 5, 250, 2000))


def _count(rng: random.Random, count: Any) -> None:
    if rng.random() < 0.8:
        count.min = rng.choice((-1, 0, 1, 2, 3, 5))
    if rng.random() < 0.8:
        count.max = rng.choice((0, 1, 2, 3, 5, 100))


def _lengths(rng: random.Random, feature: Any, schema: Any) -> None:
    kind = rng.randrange(4)
    if kind == 0:
        feature.value_count.SetInParent()
        _count(rng, feature.value_count)
    elif kind == 1:
        feature.value_counts.SetInParent()
        del feature.value_counts.value_count[:]
        for _ in range(rng.randrange(4)):
            _count(rng, feature.value_counts.value_count.add())
    elif kind == 2:
        feature.shape.SetInParent()
        del feature.shape.dim[:]
        for _ in range(rng.randrange(3)):
            feature.shape.dim.add(size=rng.choice((0, 1, 1, 2, 3, 4)))
    else:
        feature.ClearField("value_count")


def _type(rng: random.Random, feature: Any, schema: Any) -> None:
    if rng.random() < 0.2:
        feature.ClearField("type")
    else:
        feature.type = rng.choice(
            (schema_pb2.BYTES, schema_pb2.INT, schema_pb2.FLOAT, schema_pb2.STRUCT)
        )


def _stage(rng: random.Random, feature: Any, schema: Any) -> None:
    if rng.random() < 0.2:
        feature.deprecated = rng.random() < 0.8
    else:
        feature.lifecycle_stage = rng.choice((0, 1, 2, 3, 4, 5, 6, 7, 9))


def _numbers(rng: random.Random, feature: Any, schema: Any) -> None:
    name = rng.choice(("int_domain", "float_domain"))
    if rng.random() < 0.7:  # the one that goes with the type
        name = "float_domain" if feature.type == schema_pb2.FLOAT else "int_domain"
    domain = getattr(feature, name)
    domain.SetInParent()
    if rng.random() < 0.7:
        domain.min = rng.choice((-1000, -1, 0, 1, 2, 1_000_000))
    if rng.random() < 0.7:
        domain.max = rng.choice((-10, 0, 1, 2, 100, 2_000_000_000))
    if name == "float_domain":
        domain.disallow_nan = rng.random() < 0.5
        domain.disallow_inf = rng.random() < 0.5


def _strings(rng: random.Random, feature: Any, schema: Any) -> None:
    values = rng.choices(_TEXTS, k=rng.randrange(9))
    if rng.random() < 0.5:
        feature.string_domain.SetInParent()
        feature.string_domain.value.extend(value.decode() for value in values)
    else:
        name = rng.choice(("colours", "shapes", feature.name))
        feature.domain = name
        if rng.random() < 0.8:
            schema.string_domain.add(name=name).value.extend(
                value.decode() for value in values
            )
    if rng.random() < 0.6:
        mass = rng.choice((0, 0.2, 0.5, 0.9, 1))
        feature.distribution_constraints.min_domain_mass = mass


def _bools(rng: random.Random, feature: Any, schema: Any) -> None:
    feature.bool_domain.SetInParent()
    if rng.random() < 0.5:
        feature.bool_domain.true_value = rng.choice(("ok", "1", "red"))
    if rng.random() < 0.5:
        feature.bool_domain.false_value = rng.choice(("ok", "0", ""))


def _other_domain(rng: random.Random, feature: Any, schema: Any) -> None:
    getattr(feature, rng.choice(_OTHER_DOMAINS)).SetInParent()
    if rng.random() < 0.3:
        feature.distribution_constraints.min_domain_mass = 0.5


def _environments(rng: random.Random, feature: Any, schema: Any) -> None:
    getattr(feature, rng.choice(("in_environment", "not_in_environment"))).append(
        rng.choice(ENVIRONMENTS)
    )


def _unique(rng: random.Random, feature: Any, schema: Any) -> None:
    # Without a limit, TensorFlow Data Validation takes it to be 0.
    feature.unique_constraints.min = rng.choice((0, 1, 3, 10))
    feature.unique_constraints.max = rng.choice((1, 3, 10, 1000))


def _comparators(rng: random.Random, feature: Any, schema: Any) -> None:
    comparator = rng.choice((feature.drift_comparator, feature.skew_comparator))
    threshold = rng.choice((0, 0.01, 0.1, 0.5, 1))
    kind = rng.randrange(3)
    if kind == 0:
        comparator.infinity_norm.threshold = threshold
    elif kind == 1:
        comparator.normalized_abs_difference.threshold = threshold
    else:
        comparator.jensen_shannon_divergence.threshold = threshold
        comparator.jensen_shannon_divergence.source.type = rng.randrange(3)


_CHANGES = (
    _presence,
    _lengths,
    _type,
    _stage,
    _numbers,
    _numbers,
    _strings,
    _strings,
    _bools,
    _other_domain,
    _environments,
    _unique,
    _comparators,
    _comparators,
)


def _lose(rng: random.Random, schema: Any) -> None:
    if schema.feature:
        del schema.feature[rng.randrange(len(schema.feature))]


def _gain(rng: random.Random, schema: Any) -> None:
    feature = schema.feature.add(name="absent", type=schema_pb2.INT)
    _presence(rng, feature, schema)
    _environments(rng, feature, schema)


def _gain_list(rng: random.Random, schema: Any) -> None:
    for feature in schema.feature:
        if feature.type == schema_pb2.STRUCT:
            child = feature.struct_domain.feature.add(name="absent")
            child.type = schema_pb2.INT
            _presence(rng, child, schema)


def _collide(rng: random.Random, schema: Any) -> None:
    # TensorFlow Data Validation aborts at one of the name of the struct of lists.
    name = rng.choice(("f0", "f1", "f2", "f3"))
    added = rng.choice((schema.sparse_feature, schema.weighted_feature)).add(name=name)
    added.lifecycle_stage = rng.choice((0, 1, 4, 5))


def _defaults(rng: random.Random, schema: Any) -> None:
    schema.default_environment.extend(ENVIRONMENTS[: rng.randrange(3)])


def _dataset(rng: random.Random, schema: Any) -> None:
    constraints = schema.dataset_constraints
    # Without the least, TensorFlow Data Validation does not look at the most.
    constraints.min_examples_count = rng.choice((1, 5, 200, 2000))
    if rng.random() < 0.7:
        constraints.max_examples_count = rng.choice((1, 5, 200, 2000))
    if rng.random() < 0.7:
        drift = constraints.num_examples_drift_comparator
        drift.min_fraction_threshold = rng.choice((0.5, 1, 1.5))
        drift.max_fraction_threshold = rng.choice((0.5, 1, 1.5))


_AROUND = (_lose, _gain, _gain_list, _collide, _defaults, _dataset)
