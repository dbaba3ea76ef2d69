"""Answers for headrace, with pyarrow: records, columns and tensors."""

import json

import answering
import arrays
import headrace as hr
import pyarrow


def records(question):
    with answering.file_of(question) as file:
        options = {"compression": question["compression"],
                   "on_corrupt": question["policy"]}
        reader = hr.open(file.name, message="raw", **options)
        answer = answering.records(p for b in reader for p in b.payloads())
    # Under "rescan" the rest of a damaged compressed file is a region without an
    # end: what the judge takes for the error that ends a file.
    for region in reader.report.regions:
        if region.end is None:
            answer["error"] = f"{region.reason}: {region.message}"
    return answer


def columns(question):
    messages, message = answering.messages(question), question["message"]
    schema = None
    if "schema" in question:
        schema = hr.Schema.from_text(question["schema"])
        # hr.decode looks at its columns alone; a reader can look at all bytes.
        with answering.file_holding(b"") as file:
            with hr.Writer(file.name) as writer:
                list(map(writer.write, messages))
            list(hr.open(file.name, schema=schema, message=message,
                         verify_unselected=True))
    batch = hr.decode(messages, schema=schema, message=message)
    if any("\0" in name for name in batch):
        raise answering.Unsupported("Arrow has no names with NUL")
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
        "examples": arrays.examples_of(columns)})
