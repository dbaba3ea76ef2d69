// FileIdentity is what an index stores to recognise its file.

#ifndef HEADRACE_SRC_INPUT_INDEX_FILE_IDENTITY_H_
#define HEADRACE_SRC_INPUT_INDEX_FILE_IDENTITY_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "headrace/index.h"
#include "headrace/status.h"
#include "src/input/source/source.h"

namespace headrace::index {

struct FileIdentity {
  // XXH3 of the first and of the last 64 KiB, or of all bytes if there are
  // fewer.
  struct Digests {
    uint64_t first = 0;
    uint64_t last = 0;
    bool operator==(const Digests&) const = default;
  };

  uint64_t size = 0;
  // The time of the last change, in nanoseconds since 1970 (UTC). Empty for an
  // input that the caller opened.
  std::optional<int64_t> time = {};
  std::optional<Digests> digests = {};
};

// Opens the stored bytes of a plain or compressed file. Fails with
// kInvalidArgument if the file is neither empty nor readable at any offset.
Result<std::unique_ptr<source::Source>> OpenStored(const std::string& path,
                                                   const IndexOptions& options);

// Returns kInvalidArgument with the reason why a file cannot have an index.
Status Unfit(const std::string& name, const std::string& why);

// `source` must be the result of OpenStored with the same arguments.
Result<FileIdentity> Identify(source::Source* source, const std::string& path,
                              const IndexOptions& options);

// Returns kBadIndex, with the reason, if the index is not of this file.
// Compares only the properties that both the index and the file have.
Status CheckIsOf(const FileIdentity& indexed, const std::string& path,
                 const IndexOptions& options);

// The time of the file's last change; empty if the system does not know it.
std::optional<int64_t> TimeOf(const std::string& path,
                              const IndexOptions& options);

}  // namespace headrace::index

#endif  // HEADRACE_SRC_INPUT_INDEX_FILE_IDENTITY_H_
