// groups*.jsonl: records and a spec of matrix and jagged groups to tensors.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/decoder.h"
#include "headrace/feature_spec.h"
#include "headrace/plan.h"
#include "headrace/reader.h"
#include "src/base/json/json_text.h"
#include "tests/conformance/cases.h"
#include "tests/conformance/padded_records.h"
#include "tests/golden/golden.h"
#include "tests/naive/naive_convert.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"

namespace headrace::conformance {

using nlohmann::json;
using testing::NaiveIsNan;

namespace {

std::vector<std::string> RecordsOf(const json& golden) {
  std::vector<std::string> records;
  for (const json& text : golden.at("records")) {
    const auto bytes = ParseBase64(text.get<std::string>());
    if (!bytes) throw std::runtime_error("record " + text.dump());
    records.push_back(*bytes);
  }
  return records;
}

// The value of `size` bytes as a number.
uint64_t BitsAt(std::string_view bytes, size_t size, size_t i) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + i * size, size);
  return bits;
}

// Any NaN equals any other. `most_ulp`: TensorFlow's log1p is not exact.
std::string CompareNumbers(const char* what, DType dtype,
                           std::string_view expected, std::string_view found,
                           uint64_t most_ulp = 0) {
  if (expected.size() != found.size()) {
    return std::string(what) + ": " + std::to_string(found.size()) +
           " bytes instead of " + std::to_string(expected.size());
  }
  const size_t size = DTypeSize(dtype);
  for (size_t i = 0; i < expected.size() / size; ++i) {
    const uint64_t a = BitsAt(expected, size, i), b = BitsAt(found, size, i);
    if (a == b || (NaiveIsNan(dtype, a) && NaiveIsNan(dtype, b))) continue;
    if (std::max(a, b) - std::min(a, b) <= most_ulp) continue;
    return std::string(what) + " " + std::to_string(i) + ": bits " +
           std::to_string(b) + " instead of " + std::to_string(a);
  }
  return {};
}

std::string BytesOfHex(const json& text) {
  return testing::GoldenRecords(json::array({text})).front();
}

std::string_view BytesOf(const void* data, size_t size) {
  return {static_cast<const char*>(data), size};
}

std::string CompareInts(const char* what, const json& expected,
                        const RowSplits& found) {
  std::vector<int64_t> ints;
  for (size_t i = 0; i < found.size; ++i) ints.push_back(found[i]);
  if (expected == json(ints)) return {};
  return std::string(what) + " " + json(ints).dump() + " instead of " +
         expected.dump();
}

std::string CompareMatrix(const json& expected, const Tensor& tensor,
                          uint64_t most_ulp) {
  if (tensor.kind != TensorKind::kDense) return "another kind";
  const std::vector<int64_t> shape(tensor.shape.begin(), tensor.shape.end());
  if (expected.at("shape") != json(shape)) {
    return "shape " + json(shape).dump();
  }
  return CompareNumbers(
      "value", tensor.dtype, BytesOfHex(expected.at("values")),
      BytesOf(tensor.values, tensor.num_values * DTypeSize(tensor.dtype)),
      most_ulp);
}

std::string CompareJagged(const json& expected, size_t rows,
                          const Tensor& tensor, uint64_t most_ulp) {
  if (tensor.kind != TensorKind::kJagged) return "another kind";
  if (expected.at("keys") !=
      json(std::vector<std::string>(tensor.keys.begin(), tensor.keys.end()))) {
    return "other keys";
  }
  std::string difference =
      CompareInts("lengths", expected.at("lengths"), tensor.key_lengths);
  if (difference.empty()) {
    difference =
        CompareInts("offsets", expected.at("offsets"), tensor.key_offsets);
  }
  if (difference.empty()) {
    difference = CompareNumbers(
        "value", tensor.dtype, BytesOfHex(expected.at("values")),
        BytesOf(tensor.values, tensor.num_values * DTypeSize(tensor.dtype)),
        most_ulp);
  }
  if (!difference.empty()) return difference;
  for (size_t key = 0; key < tensor.keys.size(); ++key) {
    if (tensor.key_ends[key] != tensor.key_offsets[(key + 1) * rows]) {
      return "end of key " + std::to_string(key);
    }
  }
  const bool has_weights =
      expected.contains("weights") && !expected["weights"].is_null();
  if (has_weights != (tensor.weights != nullptr)) return "weights";
  if (!has_weights) return {};
  return CompareNumbers(
      "weight", DType::kFloat, BytesOfHex(expected["weights"]),
      BytesOf(tensor.weights, tensor.num_values * sizeof(float)));
}

std::string CompareBatch(const json& golden, const Result<Batch>& batch) {
  if (!batch.ok()) return batch.status().ToString();
  const json& out = golden.at("out");
  if (out.size() != batch->tensors().size()) return "other tensors";
  const std::string spec = golden.at("spec").dump();
  const uint64_t most_ulp = spec.find("log1p") == std::string::npos ? 0 : 2;
  for (const Tensor& tensor : batch->tensors()) {
    const json& expected = out.at(std::string(tensor.name));
    const std::string difference =
        expected.contains("keys")
            ? CompareJagged(expected, batch->num_rows(), tensor, most_ulp)
            : CompareMatrix(expected, tensor, most_ulp);
    if (!difference.empty()) {
      return std::string(tensor.name) + ": " + difference;
    }
  }
  return {};
}

// Of the errors of one class any may be named.
std::string CompareBadRow(const json& bad, const Status& status) {
  const ErrorInfo& info = *status.info();
  if (info.record != bad.at("row").get<uint64_t>() ||
      info.code != testing::GoldenErrorCode(bad.at("class"))) {
    return status.ToString() + " instead of " + bad.dump();
  }
  const json& features = bad.at("features");
  if (std::find(features.begin(), features.end(), json(info.feature)) ==
      features.end()) {
    return "names another feature than " + bad.dump() + ": " +
           status.ToString();
  }
  // The text names the group of the member, too.
  if (info.message.find(" \"") == info.message.rfind(" \"")) {
    return "does not name the group: " + info.message;
  }
  return {};
}

std::string CompareSkipping(const json& golden, const Plan& plan,
                            std::span<const std::string_view> records,
                            bool padded) {
  Decoder decoder(plan, {.on_row_error = OnRowError::kSkip,
                         .verify_unselected = true,
                         .padded_input = padded});
  const auto batch = decoder.Decode(records);
  const json& bad = golden.at("bad");
  if (batch.ok() && decoder.skipped().size() != bad.size()) {
    return std::to_string(decoder.skipped().size()) + " bad rows";
  }
  for (size_t i = 0; batch.ok() && i < bad.size(); ++i) {
    const std::string difference = CompareBadRow(bad[i], decoder.skipped()[i]);
    if (!difference.empty()) return difference;
  }
  return CompareBatch(golden, batch);
}

std::string CompareReading(const json& golden, const Plan& plan,
                           const std::vector<std::string>& records,
                           size_t threads) {
  const testing::TemporaryFile file(testing::RecordFile(records));
  ReadOptions options = {.message = plan.message(),
                         .batch_size = std::max<size_t>(records.size(), 1),
                         .on_row_error = OnRowError::kSkip,
                         .threads = threads};
  auto reader = Reader::Open({file.path()}, plan, options);
  if (!reader.ok()) return reader.status().ToString();
  const auto batch = reader->Next();
  if (!batch.ok()) return batch.status().ToString();
  if (batch) return CompareBatch(golden, Result<Batch>(*batch));
  return golden.at("bad").size() == records.size() ? "" : "no batch";
}

// The files of a case's vocabularies, whose names stand for them in its spec.
class Vocabularies {
 public:
  explicit Vocabularies(const json& golden) {
    if (!golden.contains("vocabularies")) return;
    for (const auto& [name, hex] : golden["vocabularies"].items()) {
      files_.emplace(name, BytesOfHex(hex));
    }
  }
  // Returns the spec with the paths of the files.
  json Placed(json spec) const {
    for (json& feature : spec.at("features")) {
      if (!feature.contains("features")) continue;
      for (json& member : feature["features"]) {
        if (!member.contains("map")) continue;
        for (json& function : member["map"]) Place(&function);
      }
    }
    return spec;
  }

 private:
  void Place(json* function) const {
    if (!function->contains("vocabulary")) return;
    const auto found = files_.find((*function)["vocabulary"]);
    if (found != files_.end()) (*function)["vocabulary"] = found->second.path();
  }

  std::map<std::string, testing::TemporaryFile> files_;
};

}  // namespace

std::string RunGroupsCase(const json& golden, const CaseContext& context) {
  const Vocabularies vocabularies(golden);
  const auto spec =
      FeatureSpec::FromJson(vocabularies.Placed(golden.at("spec")).dump());
  const bool is_refused = golden.contains("error");
  if (is_refused && golden["error"] != "bad_spec") {
    throw std::runtime_error("error " + golden["error"].dump());
  }
  if (!spec.ok()) {
    const bool is_right =
        is_refused && spec.status().code() == ErrorCode::kBadSpec;
    return is_right ? "" : spec.status().ToString();
  }
  const auto again = FeatureSpec::FromJson(spec->ToJson());
  if (!again.ok()) return again.status().ToString();
  if (!(*again == *spec)) return "the spec changes when it is written";
  const auto plan = Plan::Compile(*spec);
  if (is_refused) {
    if (plan.ok()) return "the spec is not refused";
    return plan.status().code() == ErrorCode::kBadSpec
               ? ""
               : plan.status().ToString();
  }
  if (!plan.ok()) return plan.status().ToString();

  const std::vector<std::string> bytes = RecordsOf(golden);
  const std::vector<std::string_view> records(bytes.begin(), bytes.end());
  std::string difference =
      Labelled("skipping", CompareSkipping(golden, *plan, records, false));
  if (!difference.empty()) return difference;
  const PaddedRecords padded(records);
  difference = Labelled("padded input",
                        CompareSkipping(golden, *plan, padded.views(), true));
  if (!difference.empty()) return difference;
  for (const int threads : {1, context.threads}) {
    difference = Labelled(
        "reader",
        CompareReading(golden, *plan, bytes, static_cast<size_t>(threads)));
    if (!difference.empty()) return difference;
  }
  if (golden.at("bad").empty()) return {};
  Decoder decoder(*plan, {.verify_unselected = true});
  const auto failed = decoder.Decode(records);
  if (failed.ok()) return "no error";
  return Labelled("failing", CompareBadRow(golden["bad"][0], failed.status()));
}

}  // namespace headrace::conformance
