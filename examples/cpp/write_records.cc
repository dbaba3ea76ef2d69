// Writes Examples to a TFRecord file: write_records OUT.

#include <cstdio>
#include <string>

#include "headrace/message.h"
#include "headrace/record_writer.h"

namespace {

using headrace::Kind;

headrace::Status WriteAll(const std::string& path) {
  // The name does not choose the compression: options do.
  auto writer = headrace::RecordWriter::Open(path);
  if (!writer) return writer.status();
  for (int64_t i = 0; i < 1000; ++i) {
    headrace::Message example;
    example.features["id"] = {.kind = Kind::kInt64, .int64s = {i}};
    example.features["x"] = {.kind = Kind::kFloat,
                             .floats = {0.5f * static_cast<float>(i), 1}};
    if (i % 2 == 0) {
      example.features["tag"] = {.kind = Kind::kBytes, .bytes = {"even"}};
    }
    auto payload = headrace::SerializeMessage(example);
    if (!payload) return payload.status();
    headrace::Status status = writer->Write(*payload);
    if (!status.ok()) return status;
  }
  // Close gives the file its name: without it no file remains.
  return writer->Close();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  headrace::Status status = WriteAll(argv[1]);
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}
