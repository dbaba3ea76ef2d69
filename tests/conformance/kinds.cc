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
};

}  // namespace

CaseRunner RunnerFor(const std::string& file_name) {
  for (const FileKind& kind : kFileKinds) {
    if (file_name.starts_with(kind.prefix)) return kind.run;
  }
  return &NotKnown;
}

}  // namespace headrace::conformance
