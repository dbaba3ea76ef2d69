// A shared library through which Python encodes what pyarrow exports.

#include <string>
#include <vector>

#include "headrace/example_encoder.h"
#include "headrace/record_writer.h"
#include "headrace/status.h"

extern "C" {

// Writes the messages to a TFRecord file. The error, or an empty text; valid
// until the next call.
const char* encode(ArrowSchema* schema, ArrowArray* array, int allow_narrowing,
                   const char* path) {
  static std::string text;
  const auto messages = headrace::EncodeExamples(
      *schema, *array, {.allow_narrowing = allow_narrowing != 0});
  headrace::Status status = messages.status();
  if (status.ok()) {
    auto writer = headrace::RecordWriter::Open(path);
    status = writer.status();
    for (size_t i = 0; status.ok() && i < messages->size(); ++i) {
      status = writer->Write((*messages)[i]);
    }
    if (status.ok()) status = writer->Close();
  }
  array->release(array);
  schema->release(schema);
  text = status.ok() ? "" : status.ToString();
  return text.c_str();
}

}  // extern "C"
