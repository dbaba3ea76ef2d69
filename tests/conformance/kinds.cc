#include <stdexcept>
#include <string>
#include <string_view>

#include "tests/conformance/cases.h"

namespace headrace::conformance {

using nlohmann::json;

namespace {

std::string NotKnown(const json&, const CaseContext&) {
  return "unknown kind of file";
}

struct FileKind {
  std::string_view prefix;
  CaseRunner run;
};

// The first that fits.
constexpr FileKind kFileKinds[] = {
    {"records", &RunRecordsCase},
    {"columns-", &RunColumnsCase},
    {"tensors-schema", &RunSchemaTensorsCase},
    {"tensors-", &RunTensorsCase},
    {"schema-", &RunSchemaCase},
    {"elwc", &RunListsCase},
    {"tensor_proto", &RunTensorProtoCase},
    {"groups", &RunGroupsCase},
};

}  // namespace

std::string Labelled(const char* label, const std::string& difference) {
  if (difference.empty()) return {};
  return std::string(label).append(": ").append(difference);
}

MessageType MessageOf(const json& golden) {
  const std::string message = golden.at("message").get<std::string>();
  if (message == "example") return MessageType::kExample;
  if (message == "sequence_example") return MessageType::kSequence;
  throw std::runtime_error("message " + message);
}

CaseRunner RunnerFor(const std::string& file_name) {
  for (const FileKind& kind : kFileKinds) {
    if (file_name.starts_with(kind.prefix)) return kind.run;
  }
  return &NotKnown;
}

}  // namespace headrace::conformance
