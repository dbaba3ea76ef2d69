// records*.jsonl: file bytes to records.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/record_reader.h"
#include "src/input/record/finding.h"
#include "src/input/record/scanner.h"
#include "src/input/source/source.h"
#include "tests/conformance/cases.h"
#include "tests/golden/golden.h"
#include "tests/support/hex.h"
#include "tests/support/temporary_file.h"
#include "xxhash.h"

namespace headrace::conformance {

using nlohmann::json;

namespace {

// What reading a file came to.
struct Outcome {
  std::vector<std::string> records;
  std::vector<SkippedRegion> skipped;
  ErrorCode code = ErrorCode::kOk;
  uint64_t offset = kUnknown;

  void SetError(const Status& status) {
    code = status.code();
    offset = status.info()->offset;
  }
};

// Under kRescan the rest of a damaged compressed file is a region without an
// end. In golden files it is the error that ends the file, at the same place.
void MakeErrorOfRest(Outcome* outcome) {
  if (outcome->skipped.empty()) return;
  const SkippedRegion& last = outcome->skipped.back();
  if (last.end != kUnknown || outcome->code != ErrorCode::kOk) return;
  outcome->code = last.reason;
  outcome->offset = last.begin;
  outcome->skipped.pop_back();
}

Outcome ReadAll(Result<RecordReader> reader) {
  Outcome outcome;
  if (!reader.ok()) {
    outcome.SetError(reader.status());
    return outcome;
  }
  while (true) {
    auto record = reader->Next();
    if (!record.ok()) outcome.SetError(record.status());
    if (!record) break;
    outcome.records.emplace_back(record->payload);
  }
  outcome.skipped = reader->skipped();
  MakeErrorOfRest(&outcome);
  return outcome;
}

struct ScanVariant {
  const char* name;
  size_t window_bytes;
  size_t max_records;
  bool defer_payload;
};

// A block whose payloads the caller may have to check, as a decoder would.
void TakeBlock(const record::Block& block, const std::string& path,
               OnCorrupt on_corrupt, Outcome* outcome) {
  for (const record::RecordSpan& span : block.records) {
    if (block.payloads_unverified && !record::PayloadIsIntact(span)) {
      if (on_corrupt == OnCorrupt::kFail) {
        outcome->SetError(
            record::BadPayload(span, outcome->records.size(), path));
        return;
      }
      outcome->skipped.push_back(
          {span.offset, span.end(), ErrorCode::kPayloadCrc});
      continue;
    }
    outcome->records.emplace_back(reinterpret_cast<const char*>(span.payload),
                                  span.size);
  }
}

Outcome ScanAll(const std::string& path, const RecordReaderOptions& options,
                const ScanVariant& variant) {
  Outcome outcome;
  auto source = source::OpenFile(path, {.compression = options.compression,
                                        .window_bytes = variant.window_bytes});
  if (!source.ok()) {
    outcome.SetError(source.status());
    return outcome;
  }
  record::Scanner scanner(*std::move(source),
                          {.on_corrupt = options.on_corrupt,
                           .defer_payload = variant.defer_payload});
  while (outcome.code == ErrorCode::kOk) {
    const auto block = scanner.NextBlock(variant.max_records);
    if (!block.ok()) outcome.SetError(block.status());
    if (!block.ok() || block->records.empty()) break;
    TakeBlock(*block, path, options.on_corrupt, &outcome);
  }
  outcome.skipped.insert(outcome.skipped.end(), scanner.regions().begin(),
                         scanner.regions().end());
  std::sort(outcome.skipped.begin(), outcome.skipped.end(),
            [](const SkippedRegion& a, const SkippedRegion& b) {
              return a.begin < b.begin;
            });
  MakeErrorOfRest(&outcome);
  return outcome;
}

std::string CompareRecords(const json& expect, const Outcome& outcome) {
  const json& wanted = expect.at("records");
  if (wanted.is_object()) {
    std::string all;
    for (const std::string& record : outcome.records) all += record;
    char digest[17];
    std::snprintf(
        digest, sizeof(digest), "%016llx",
        static_cast<unsigned long long>(XXH3_64bits(all.data(), all.size())));
    if (wanted.at("count") != outcome.records.size()) return "record count";
    if (wanted.at("xxh3_of_concat") != digest) return "records differ";
    return {};
  }
  const std::vector<std::string> records = testing::GoldenRecords(wanted);
  if (records.size() != outcome.records.size()) {
    return std::to_string(outcome.records.size()) + " records instead of " +
           std::to_string(records.size());
  }
  for (size_t i = 0; i < records.size(); ++i) {
    if (records[i] != outcome.records[i]) {
      return "record " + std::to_string(i) + " is " +
             testing::ToHex(outcome.records[i]);
    }
  }
  return {};
}

std::string ToText(const std::vector<SkippedRegion>& regions) {
  std::string text;
  for (const SkippedRegion& region : regions) {
    text += " [" + std::to_string(region.begin);
    text += ", " + std::to_string(region.end) + ") ";
    text += NameOf(region.reason);
  }
  return text.empty() ? " nothing" : text;
}

std::string CompareSkipped(const json& expect, const Outcome& outcome) {
  std::vector<SkippedRegion> wanted;
  for (const json& region : expect.at("skipped")) {
    wanted.push_back({.begin = region.at("begin").get<uint64_t>(),
                      .end = region.at("end").get<uint64_t>(),
                      .reason = testing::GoldenErrorCode(
                          region.at("reason").get<std::string>())});
  }
  if (wanted == outcome.skipped) return {};
  return "skipped" + ToText(outcome.skipped) + " instead of" + ToText(wanted);
}

std::string CompareError(const json& expect, const Outcome& outcome) {
  const std::string wanted = expect.value("error", "ok");
  if (wanted != "ok") testing::GoldenErrorCode(wanted);  // throws if unknown
  if (wanted != NameOf(outcome.code)) {
    return std::string(NameOf(outcome.code)) + " instead of " + wanted;
  }
  if (expect.contains("offset") && expect["offset"] != outcome.offset) {
    return "offset " + std::to_string(outcome.offset) + " instead of " +
           expect["offset"].dump();
  }
  return {};
}

std::string Compare(const std::string& variant, const json& expect,
                    const Outcome& outcome) {
  for (auto* compare : {&CompareError, &CompareRecords, &CompareSkipped}) {
    const std::string difference = compare(expect, outcome);
    if (!difference.empty()) return variant + ": " + difference;
  }
  return {};
}

Compression CompressionNamed(const std::string& name) {
  for (Compression compression :
       {Compression::kAuto, Compression::kNone, Compression::kGzip,
        Compression::kZlib, Compression::kSnappy, Compression::kZstd}) {
    if (name == CompressionName(compression)) return compression;
  }
  throw std::runtime_error("compression " + name);
}

OnCorrupt PolicyNamed(const std::string& name) {
  if (name == "fail") return OnCorrupt::kFail;
  if (name == "skip") return OnCorrupt::kSkip;
  if (name == "rescan") return OnCorrupt::kRescan;
  throw std::runtime_error("policy " + name);
}

std::string FileBytes(const json& file, const CaseContext& context) {
  if (file.is_string()) return testing::GoldenRecords({file})[0];
  const auto path = std::filesystem::path(context.folder) /
                    file.at("path").get<std::string>();
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("no file " + path.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

std::string RunRecordsCase(const json& golden, const CaseContext& context) {
  const std::string file = FileBytes(golden.at("file"), context);
  RecordReaderOptions options = {
      .compression =
          CompressionNamed(golden.at("compression").get<std::string>()),
      .on_corrupt = PolicyNamed(golden.at("policy").get<std::string>())};
  const json& expect = golden.at("expect");

  std::string difference = Compare(
      "memory", expect, ReadAll(RecordReader::FromMemory(file, options)));
  if (!difference.empty()) return difference;
  const testing::TemporaryFile on_disk(file);
  for (bool mmap : {false, true}) {
    if (!difference.empty()) return difference;
    options.mmap = mmap;
    difference = Compare(mmap ? "mapped file" : "file", expect,
                         ReadAll(RecordReader::Open(on_disk.path(), options)));
  }
  // Windows that split everything, and payloads that the caller checks.
  constexpr ScanVariant kVariants[] = {{"windows of 1 byte", 1, 1000, false},
                                       {"one record a block", 37, 1, false},
                                       {"checked later", 64, 1000, true},
                                       {"checked one by one", 4096, 1, true}};
  for (const ScanVariant& variant : kVariants) {
    if (!difference.empty()) break;
    difference = Compare(variant.name, expect,
                         ScanAll(on_disk.path(), options, variant));
  }
  return difference;
}

}  // namespace headrace::conformance
