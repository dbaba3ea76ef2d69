// Parses serialized Examples, as tf.io.parse_example does: parse_records FILE.

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/decoder.h"
#include "headrace/feature_spec.h"
#include "headrace/record_reader.h"

namespace {

using headrace::DType;

headrace::Status Parse(const std::string& path) {
  auto plan = headrace::Plan::Compile(
      headrace::FeatureSpec()
          .Add("id", headrace::FixedLen(DType::kInt64))
          .Add("x", headrace::FixedLen(DType::kFloat, {2}))
          .Add("tag", headrace::FixedLen(DType::kBytes).Default("none")));
  if (!plan) return plan.status();

  // Payloads may have any source; these are the first three of a file.
  auto reader = headrace::RecordReader::Open(path);
  if (!reader) return reader.status();
  std::vector<std::string> payloads;
  while (payloads.size() < 3) {
    auto record = reader->Next();
    if (!record) return record.status();
    payloads.emplace_back(record->payload);
  }

  headrace::Decoder decoder(*plan);
  auto batch = decoder.Decode(
      std::vector<std::string_view>(payloads.begin(), payloads.end()));
  if (!batch) return batch.status();
  const headrace::Tensor* x = batch->FindTensor("x");  // [rows, 2]
  for (size_t row = 0; row < batch->num_rows(); ++row) {
    std::string tag(batch->FindTensor("tag")->bytes()[row]);
    std::printf("id %lld, x %g %g, tag %s\n",
                static_cast<long long>(batch->FindTensor("id")->int64s()[row]),
                static_cast<double>(x->floats()[2 * row]),
                static_cast<double>(x->floats()[2 * row + 1]), tag.c_str());
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  headrace::Status status = Parse(argv[1]);
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}
