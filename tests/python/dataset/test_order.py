"""hr.order: rows at positions of a shuffled epoch."""

import headrace as hr
import numpy as np
import pytest


def test_all_rows_of_an_epoch():
    rows = hr.order(10, 7, 2, range(10), block=3, window=2)
    assert rows.dtype == np.uint64
    # docs/formats/order.md has these.
    assert rows.tolist() == [9, 4, 5, 3, 2, 7, 0, 8, 1, 6]


def test_a_permutation_for_each_seed_and_epoch():
    orders = {
        tuple(hr.order(50, seed, epoch, np.arange(50)).tolist())
        for seed in range(3) for epoch in range(3)
    }
    assert len(orders) == 9
    assert all(sorted(order) == list(range(50)) for order in orders)


def test_many_rows():
    rows = hr.order(10**9, 7, 2, [0, 1, 2, 3])
    assert rows.tolist() == [709668932, 494266815, 132034339, 342616707]


def test_rows_beyond_signed_numbers():
    n = 2**64 - 1
    rows = hr.order(n, 1, 2, [2**63, 2**63 + 1])
    assert rows.tolist() == [9053086885992706380, 3691034738858355190]
    # numpy would make floats of these.
    assert hr.order(n, 1, 2, [2**63, 0])[0] == rows[0]
    assert hr.order(n, 2**64 - 1, 2**64 - 1, n - 1) < n


EXPECTED = hr.order(100, 1, 0, range(100))


@pytest.mark.parametrize("positions", [
    5,
    np.int8(5),
    np.array(5),
    [5, 5, 99, 0],
    (1, 2),
    [[1, 2, 3], [4, 5, 6]],
    [np.uint8(1), 7],
    np.arange(100, dtype=">i4"),
    np.arange(100, dtype=np.uint64)[::-3],
    np.asfortranarray(np.arange(24, dtype=np.int16).reshape(2, 3, 4)),
    np.array([1, 2], dtype=object),
    [],
    np.zeros((0, 3), dtype=np.int64),
])
def test_result_has_the_shape_of_positions(positions):
    rows = hr.order(100, 1, 0, positions)
    assert isinstance(rows, np.ndarray)
    assert rows.dtype == np.uint64
    index = np.array(positions, dtype=np.int64)
    assert rows.shape == index.shape
    assert np.array_equal(rows, EXPECTED[index])


def test_positions_stay_as_they_are():
    positions = np.arange(100, dtype=np.uint64)
    hr.order(100, 1, 0, positions)
    assert np.array_equal(positions, np.arange(100))


def test_blocks_in_any_order():
    n = 100_001
    options = {"block": 64, "window": 16}
    every = hr.order(n, 3, 0, np.arange(n), **options)
    assert np.array_equal(np.sort(every), np.arange(n))
    positions = np.random.default_rng(1).integers(0, n, 1000)
    assert np.array_equal(hr.order(n, 3, 0, positions, **options), every[positions])
    # A window reads 16 blocks, whole.
    assert len(np.unique(every[: 15 * 64] // 64)) <= 16


@pytest.mark.parametrize("n, positions, wrong", [
    (10, 10, 10),
    (10, -1, -1),
    (10, [0, 1, -3], -3),
    (10, [0, 12, 3], 12),
    (0, 0, 0),
    (10, [2**64], 2**64),
    (10, [-(2**70), 1], -(2**70)),
    (10, [-1, 2**63], -1),
])
def test_positions_outside(n, positions, wrong):
    with pytest.raises(hr.InvalidArgumentError) as error:
        hr.order(n, 1, 0, positions)
    assert str(error.value).endswith(f"position {wrong} is not in range({n})")


@pytest.mark.parametrize("change, text", [
    ({"n": -1}, "n is -1, not in range(2**64)"),
    ({"n": 2**64}, "n is 18446744073709551616, not in range(2**64)"),
    ({"seed": -1}, "seed is -1"),
    ({"epoch": 2**64}, "epoch is"),
    ({"block": -1}, "block is -1"),
    ({"window": 2**64}, "window is"),
    ({"block": 0}, "block is 0; it must be at least 1"),
    ({"window": 0}, "window is 0; it must be at least 1"),
])
def test_numbers_outside(change, text):
    arguments = {"n": 10, "seed": 1, "epoch": 0, "positions": [1]} | change
    with pytest.raises(hr.InvalidArgumentError) as error:
        hr.order(**arguments)
    assert text in str(error.value)
    assert error.value.code == "invalid_argument"


@pytest.mark.parametrize("change, text", [
    ({"n": 10.0}, "n: expected an int, got float"),
    ({"seed": None}, "seed: expected an int, got NoneType"),
    ({"block": "2"}, "block: expected an int, got str"),
    ({"positions": 1.0}, "positions: expected an int or an array of ints, got float"),
    ({"positions": [1, 2.5]}, "positions: expected an int"),
    ({"positions": [1, None]}, "positions: expected an int"),
    ({"positions": [True, False]}, "positions: expected an int"),
    ({"positions": np.array([1.0])}, "positions: expected an int"),
    ({"positions": np.array([True])}, "positions: expected an int"),
    ({"positions": "12"}, "positions: expected an int"),
])
def test_wrong_types(change, text):
    arguments = {"n": 10, "seed": 1, "epoch": 0, "positions": [1]} | change
    with pytest.raises(TypeError) as error:
        hr.order(**arguments)
    assert text in str(error.value)


def test_masked_positions():
    whole = np.ma.array([1, 2], mask=False)
    assert hr.order(10, 1, 0, whole).tolist() == hr.order(10, 1, 0, [1, 2]).tolist()
    with pytest.raises(hr.InvalidArgumentError, match="positions: some .* masked"):
        hr.order(10, 1, 0, np.ma.array([1, 2], mask=[0, 1]))
