"""Answers for headrace, with pyarrow: records, columns and tensors."""

import json

import headrace as hr
import pyarrow

import answering
import arrays


def records(question):
    with answering.file_of(question) as file:
        reader = hr.open(file.name, message="raw", on_corrupt=question["policy"],
                         compression=question["compression"])
        return answering.records(
            payload for batch in reader for payload in batch.payloads())


def columns(question):
    messages, schema = answering.messages(question), question.get("schema")
    if schema is not None:
        schema = hr.Schema.from_text(schema)
    batch = hr.decode(messages, schema=schema, message=question["message"])
    if schema is not None:
        # With a schema only its columns were looked at; without one, all.
        for message in messages:
            hr.decode([message], message=question["message"])
    if any("\0" in name for name in batch):
        raise answering.Unsupported("a name with NUL, which Arrow cannot have")
    return arrays.columns(pyarrow.record_batch(batch))


def tensors(question):
    messages, message = answering.messages(question), question["message"]
    if "schema" in question:
        plan = hr.Plan(hr.Schema.from_text(question["schema"]), message=message)
    else:
        plan = hr.Plan(hr.Spec.from_json(json.dumps(question["spec"])))
        if message == "sequence_example":
            return arrays.tensors(*hr.parse_sequence_example(messages, plan))
    return arrays.tensors(hr.decode(messages, spec=plan))


if __name__ == "__main__":
    answering.run(f"headrace {hr.build_info()['version']}", {
        "records": records, "columns": columns, "tensors": tensors,
        "examples": lambda question: arrays.examples(
            columns(question), len(question["records"]))})
