// Copies the records that have a tag, byte by byte: filter_records IN OUT.

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/decoder.h"
#include "headrace/record_reader.h"
#include "headrace/record_writer.h"

namespace {

headrace::Status Filter(const std::string& in, const std::string& out) {
  // The decoder skips all other features quickly.
  HEADRACE_ASSIGN_OR_RETURN(
      const auto plan,
      headrace::Plan::ForColumns({{"tag", headrace::Kind::kBytes}}));
  HEADRACE_ASSIGN_OR_RETURN(auto reader, headrace::RecordReader::Open(in));
  HEADRACE_ASSIGN_OR_RETURN(auto writer, headrace::RecordWriter::Open(out));
  // The reader's payloads have readable bytes after them, so the decoder need
  // not copy them.
  headrace::Decoder decoder(plan, {.padded_input = true});
  std::vector<std::string_view> payloads;
  for (;;) {
    HEADRACE_ASSIGN_OR_RETURN(const auto records, reader.NextBlock());
    if (records.empty()) return writer.Close();
    payloads.clear();
    for (const headrace::Record& record : records) {
      payloads.push_back(record.payload);
    }
    HEADRACE_ASSIGN_OR_RETURN(const auto batch, decoder.Decode(payloads));
    const headrace::Column* tag = batch.Find("tag");
    for (size_t row = 0; row < batch.num_rows(); ++row) {
      if (tag->IsNull(row)) continue;
      HEADRACE_RETURN_IF_ERROR(writer.Write(payloads[row]));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const headrace::Status status = Filter(argv[1], argv[2]);
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}
