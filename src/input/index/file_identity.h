// What an index remembers of its file, to tell whether it is still the same.

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
  // When the file was changed, in nanoseconds since 1970 (UTC). Empty for an
  // input that the caller opened.
  std::optional<int64_t> time = {};
  std::optional<Digests> digests = {};
};

// Opens the stored bytes of a file, plain or compressed, that can be read at
// any place, or of one that is empty. kInvalidArgument for any other.
Result<std::unique_ptr<source::Source>> OpenStored(const std::string& path,
                                                   const IndexOptions& options);

// kInvalidArgument with the reason why a file has no index.
Status Unfit(const std::string& name, const std::string& why);

// `source` was opened by OpenStored with the same arguments.
Result<FileIdentity> Identify(source::Source* source, const std::string& path,
                              const IndexOptions& options);

// kBadIndex, with the reason, where `now` is not what the index is of. What one
// of them does not know is not compared.
Status CompareIdentity(const FileIdentity& indexed, const FileIdentity& now,
                       const std::string& path);

// When the file was changed; empty where the system does not say.
std::optional<int64_t> TimeOf(const std::string& path,
                              const IndexOptions& options);

}  // namespace headrace::index

#endif  // HEADRACE_SRC_INPUT_INDEX_FILE_IDENTITY_H_
