// Sources of plain files whose windows are the file's own bytes.

#ifndef HEADRACE_SRC_INPUT_SOURCE_IN_PLACE_SOURCE_H_
#define HEADRACE_SRC_INPUT_SOURCE_IN_PLACE_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "headrace/status.h"
#include "src/base/interrupt.h"
#include "src/input/source/file_stream.h"
#include "src/input/source/source.h"

namespace headrace::source {

// Opens bytes that the caller keeps alive. Fails with kOutOfMemory.
Result<std::unique_ptr<Source>> OpenBytes(std::span<const uint8_t> bytes,
                                          const std::string& name);

// Maps `file`, a regular file of known size, and owns it. Fails with kIo if the
// system refuses.
//
// Files are mapped only if the caller asks for it, because nothing helps if a
// file shrinks while it is mapped: the bytes between its new end and the end of
// that page read as zeros, and reading a later page raises SIGBUS, which ends
// the process unless the program handles it. The library installs no handler.
// It compares the size before each window, so a file that shrank *between* two
// windows is an ordinary failure (kIo); nothing helps while a window is being
// read.
//
// Writing to the file changes the bytes of windows, so readers must not expect
// the same bytes from a second read (docs/design/whole.md).
Result<std::unique_ptr<Source>> OpenMapped(std::unique_ptr<FileStream> file,
                                           const std::string& name,
                                           size_t window_bytes,
                                           Interrupt* interrupt);

}  // namespace headrace::source

#endif  // HEADRACE_SRC_INPUT_SOURCE_IN_PLACE_SOURCE_H_
