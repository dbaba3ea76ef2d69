// OutputFile: a file that gets its name only once it is complete. Use it to
// write any file that RecordWriter and ArrowWriter do not write.
//
// It is buffered and sequential; one thread at a time may use it. Errors are
// kIo (kNotFound if the folder does not exist) with the system's text. They are
// final. The library leaves signals alone: a program that writes to a pipe and
// wants an error instead of SIGPIPE must ignore that signal itself.

#ifndef HEADRACE_OUTPUT_FILE_H_
#define HEADRACE_OUTPUT_FILE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "headrace/export.h"
#include "headrace/output_sink.h"
#include "headrace/status.h"

namespace headrace {

// The temporary files of the OutputFiles that were opened with this object, for
// a program that a signal may end: the signal handler calls Remove, then ends
// the process. The object must outlive those OutputFiles, and the handler must
// run on the thread that uses the OutputFiles (a handler on another thread
// passes the signal on with pthread_kill).
class HEADRACE_EXPORT TemporaryFiles {
 public:
  constexpr TemporaryFiles() = default;
  TemporaryFiles(const TemporaryFiles&) = delete;
  TemporaryFiles& operator=(const TemporaryFiles&) = delete;

  // Unlinks the files and does nothing else, so it is safe in a signal handler.
  // An OutputFile that lost its file in this way fails in Close.
  void Remove() const;

 private:
  friend class OutputFile;
  struct Entry {
    const char* path;
    Entry* next;
  };
  void Add(Entry* entry);
  void Drop(Entry* entry);

  std::atomic<Entry*> first_ = nullptr;
};

struct OutputFileOptions {
  // Force data and name to the disk in Close. Default false. Ignored for "-"
  // and for anything but a regular file.
  bool fsync = false;
  size_t buffer_bytes = size_t{256} << 10;
  TemporaryFiles* temporaries = nullptr;  // null: no signal removes them
  // Refuse (kIo) a `path` that is a link out of its folder, a pipe or a device.
  // Use this for names that the user did not choose, such as the name of an
  // index beside another owner's file. Default false.
  bool stays_in_folder = false;
};

class HEADRACE_EXPORT OutputFile {
 public:
  // Opens a temporary file beside `path`. If a regular file is replaced, its
  // permissions are kept; a new file gets those that the umask allows. A
  // symbolic link stays: the file that it leads to is replaced or created; a
  // circle of links is kIo. "-" is standard output. It is written directly, and
  // so are existing files that are not regular, such as a device or a pipe.
  static Result<OutputFile> Open(const std::string& path,
                                 const OutputFileOptions& options = {});

  // Writes to a sink that the caller provides. kInvalidArgument for a null
  // pointer. The OutputFile owns the sink, even if this call fails. `name` is
  // for errors; the only option used is buffer_bytes.
  static Result<OutputFile> ToSink(std::unique_ptr<OutputSink> sink,
                                   const std::string& name,
                                   const OutputFileOptions& options = {});

  OutputFile(OutputFile&&) noexcept;
  OutputFile& operator=(OutputFile&&) noexcept;
  // Removes the temporary file if Close did not succeed. Bytes that are still
  // buffered for standard output are lost.
  ~OutputFile();

  // Appends the bytes. It blocks while a pipe or terminal accepts no more, even
  // a non-blocking one.
  Status Write(const void* data, size_t size);
  Status Write(std::string_view bytes) {
    return Write(bytes.data(), bytes.size());
  }
  // Hands all bytes to the operating system, or to the sink.
  Status Flush();
  // Does everything that Close does except giving the file its name, so that
  // likely failures, such as a full disk, happen here. Use it to finish files
  // that belong together before the first of them gets its name. Then call only
  // Close.
  Status Finish();
  // Flushes, closes, and gives the file its name. After a failure there is no
  // file of that name, or the old one is untouched. Call it once.
  Status Close();

  uint64_t size() const;  // bytes written so far
  const std::string& name() const HEADRACE_LIFETIME_BOUND {
    return name_;
  }  // "<stdout>" for "-"

 private:
  class Impl;
  explicit OutputFile(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
  std::string name_;
};

}  // namespace headrace

#endif  // HEADRACE_OUTPUT_FILE_H_
