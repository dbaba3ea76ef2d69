"""Arrays of numpy and Arrow as the judge takes them, floats by their bits."""

import numpy as np

NAMES = {"float32": "float", "object": "bytes"}


def values(array):
    array = np.asarray(array).ravel()
    if array.dtype == np.float32:
        return [f"{bits:08x}" for bits in array.view(np.uint32).tolist()]
    if array.dtype == object:
        return [bytes(value).hex() for value in array]
    return array.tolist()


def _typed(kind, array):
    name = np.asarray(array).dtype.name
    return {"kind": kind, "dtype": NAMES.get(name, name),
            "values": values(array)}


def dense(array):
    return {**_typed("dense", array), "shape": list(array.shape)}


def sparse(indices, array, dense_shape):
    return {**_typed("sparse", array), "indices": indices.tolist(),
            "dense_shape": dense_shape.tolist()}


def ragged(row_splits, array):
    return {**_typed("ragged", array), "inner_shape": list(array.shape[1:]),
            "row_splits": [splits.tolist() for splits in row_splits]}


def tensor(value):
    """A tensor of headrace or TensorFlow."""
    if hasattr(value, "dense_shape"):
        return sparse(value.indices.numpy(), value.values.numpy(),
                      value.dense_shape.numpy())
    if hasattr(value, "nested_row_splits"):
        return ragged([splits.numpy() for splits in value.nested_row_splits],
                      value.flat_values.numpy())
    if hasattr(value, "row_splits"):
        return ragged([splits.numpy() for splits in value.row_splits],
                      value.values.numpy())
    return dense(value.numpy())


def tensors(context, lists=(), lengths=()):
    """What tf.io.parse_sequence_example returns, or parse_example."""
    return {"outputs": {name: tensor(context[name]) for name in context},
            "sequence_outputs": {name: tensor(lists[name]) for name in lists},
            "sequence_lengths": {name: lengths[name].numpy().tolist()
                                 for name in lengths}}


def columns(batch):
    """The columns of an Arrow record batch."""
    return {"columns": [
        {"name": name, "type": _type(column.type), "values": _cells(column)}
        for name, column in zip(batch.schema.names, batch.columns)]}


def examples_of(columns_of):
    """Answers about single messages by what makes columns of many."""
    def answer(question):
        found = columns_of(question)["columns"]
        return {"examples": [
            {column["name"]: {column["type"][len("list<"):-1]: cell}
             for column in found
             if (cell := column["values"][row]) is not None}
            for row in range(len(question["records"]))]}

    return answer


def _type(arrow):
    text = str(arrow)
    if "list<" in text[:12]:
        return f"list<{_type(arrow.value_type)}>"
    if text.startswith("struct<"):
        fields = (arrow.field(i) if hasattr(arrow, "field") else arrow[i]
                  for i in range(arrow.num_fields))
        return "struct<{" + ", ".join(
            f"{field.name}: {_type(field.type)}" for field in fields) + "}>"
    return {"large_binary": "bytes", "binary": "bytes"}.get(text, text)


def _cells(array):
    """One value a row: of lists lists, of structs objects."""
    text = str(array.type)
    if text.startswith("struct<"):
        fields = {array.type[i].name: _cells(array.field(i))
                  for i in range(array.type.num_fields)}
        return [{name: cells[row] for name, cells in fields.items()}
                for row in range(len(array))]
    if text == "float":
        return values(array.to_numpy(zero_copy_only=False))
    if text in ("binary", "large_binary"):
        return [value.hex() for value in array.to_pylist()]
    if not text.startswith(("list<", "large_list<")):
        return array.to_pylist()
    cells, ends = _cells(array.values), array.offsets.to_pylist()
    return [cells[begin:end] if there else None for begin, end, there in
            zip(ends, ends[1:], array.is_valid().to_pylist())]
