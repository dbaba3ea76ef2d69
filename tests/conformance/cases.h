// Running one golden case against the library. Nothing here knows any
// particular case: only the kinds of files.

#ifndef HEADRACE_TESTS_CONFORMANCE_CASES_H_
#define HEADRACE_TESTS_CONFORMANCE_CASES_H_

#include <string>

#include "headrace/types.h"
#include "nlohmann/json.hpp"

namespace headrace::conformance {

struct CaseContext {
  std::string folder;  // of the golden file, for paths in it
  int threads = 1;
};

// Why the case fails; empty when it passes. Throws std::exception where the
// case is not understood, which is a failure too.
using CaseRunner = std::string (*)(const nlohmann::json& golden,
                                   const CaseContext& context);

std::string RunRecordsCase(const nlohmann::json& golden,
                           const CaseContext& context);
std::string RunColumnsCase(const nlohmann::json& golden,
                           const CaseContext& context);
std::string RunTensorsCase(const nlohmann::json& golden,
                           const CaseContext& context);
std::string RunSchemaTensorsCase(const nlohmann::json& golden,
                                 const CaseContext& context);
std::string RunListsCase(const nlohmann::json& golden,
                         const CaseContext& context);
std::string RunTensorProtoCase(const nlohmann::json& golden,
                               const CaseContext& context);
std::string RunGroupsCase(const nlohmann::json& golden,
                          const CaseContext& context);
std::string RunSchemaCase(const nlohmann::json& golden,
                          const CaseContext& context);

// What the cases of several kinds of files have in common.
// "label: difference"; empty where there is none.
std::string Labelled(const char* label, const std::string& difference);
// The "message" of a case.
MessageType MessageOf(const nlohmann::json& golden);

// By the file's name (without folders); never null.
CaseRunner RunnerFor(const std::string& file_name);

}  // namespace headrace::conformance

#endif  // HEADRACE_TESTS_CONFORMANCE_CASES_H_
