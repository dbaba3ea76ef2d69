// Builds the bytes of an index from the headers of a file's records.

#ifndef HEADRACE_SRC_INPUT_INDEX_INDEX_BUILDER_H_
#define HEADRACE_SRC_INPUT_INDEX_INDEX_BUILDER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "headrace/index.h"
#include "headrace/status.h"
#include "src/input/deflate/seek_table.h"
#include "src/input/index/file_identity.h"
#include "src/input/index/image_writer.h"
#include "src/input/source/source.h"

namespace headrace::index {

// Returns kIo: the file has changed, and `how` says more.
Status ChangedMeanwhile(const std::string& file, const std::string& how);

// Returns the bytes of the index of a file that `source` has read to its end
// and whose records `writer` has. `points` has found the seek table if the
// source does not have one. Returns no bytes for a snappy file.
Result<std::vector<uint8_t>> FinishImage(const source::Source& source,
                                         const FileIdentity& identity,
                                         compression::SeekTableBuilder* points,
                                         ImageWriter* writer);

// Builds the index of a file and returns its bytes, as for Image.
Result<std::vector<uint8_t>> BuildImage(const std::string& path,
                                        const IndexOptions& options);

}  // namespace headrace::index

#endif  // HEADRACE_SRC_INPUT_INDEX_INDEX_BUILDER_H_
