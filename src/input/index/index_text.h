// Reads and writes the text form of DALI and of vahidk's tfrecord: "offset
// length" per line, where the length includes the 16 bytes around a payload.

#ifndef HEADRACE_SRC_INPUT_INDEX_INDEX_TEXT_H_
#define HEADRACE_SRC_INPUT_INDEX_INDEX_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "headrace/output_file.h"
#include "headrace/status.h"
#include "src/input/index/image.h"
#include "src/input/source/file_stream.h"

namespace headrace::index {

// Returns the same places as the bytes of an Image. Fails with kBadIndex for
// any other text, and if records do not follow one another from offset 0 on.
Result<std::vector<uint8_t>> ReadText(source::FileStream* file,
                                      const std::string& path);

Status WriteText(const Image& image, OutputFile* out);

}  // namespace headrace::index

#endif  // HEADRACE_SRC_INPUT_INDEX_INDEX_TEXT_H_
