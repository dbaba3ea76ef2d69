// The index of a file is found by its name.

#ifndef HEADRACE_SRC_INPUT_INDEX_INDEX_BESIDE_H_
#define HEADRACE_SRC_INPUT_INDEX_INDEX_BESIDE_H_

#include <memory>
#include <optional>
#include <string>

#include "headrace/index.h"
#include "headrace/status.h"
#include "src/input/deflate/seek_table.h"

namespace headrace::index {

// The path of the file's index but for its ending; "" where it can have none.
// An index lies in the folder of this name or, if that is empty, beside its
// file; the caller's inputs have indexes in a folder alone.
std::string NameBeside(const std::string& file, const std::string& directory,
                       const IndexOptions& options);

// Opens the index of a file; empty if there is none.
Result<std::optional<Index>> OpenBeside(const std::string& file,
                                        const std::string& directory,
                                        const IndexOptions& options);

// As OpenBeside, and the index is of the file as it is now; kNotFound if there
// is none.
Result<Index> UsableBeside(const std::string& file,
                           const std::string& directory,
                           const IndexOptions& options);

// Gives the number of the record that begins at `offset` of the uncompressed
// stream, and that of all records for its end; kUnknown if the index does not
// say.
uint64_t NumberAt(const Index& index, uint64_t offset);

// kNotFound: `file` has no index.
Status HasNoIndex(const std::string& file);

// Reads of the index of a compressed file only where that can be inflated from;
// null for a plain file, and where the file has no index. With kRequired that
// is kNotFound, and an index of another file kBadIndex; with kAuto such an
// index is as good as none.
Result<std::shared_ptr<const compression::SeekTable>> SeekTableBeside(
    const std::string& file, const std::string& directory, IndexUse use,
    const IndexOptions& options);

}  // namespace headrace::index

#endif  // HEADRACE_SRC_INPUT_INDEX_INDEX_BESIDE_H_
