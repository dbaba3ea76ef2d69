// OutputFile: a file that has its name only once it is complete.
//
// Buffered, sequential, not thread-safe. Errors are kIo (kNotFound where the
// folder does not exist) with the system's text, and are final.
//
// A library leaves signals alone: a program that writes to a pipe and wants an
// error instead of SIGPIPE ignores that signal itself.

#ifndef HEADRACE_OUTPUT_FILE_H_
#define HEADRACE_OUTPUT_FILE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "headrace/output_sink.h"
#include "headrace/status.h"

namespace headrace {

// The temporary files of the OutputFiles that were opened with it, for a
// program that a signal may end: its handler calls Remove, then ends the
// process. It outlives those OutputFiles, and the handler runs on the thread
// that uses them (another thread's handler passes the signal on with
// pthread_kill).
class TemporaryFiles {
 public:
  constexpr TemporaryFiles() = default;
  TemporaryFiles(const TemporaryFiles&) = delete;
  TemporaryFiles& operator=(const TemporaryFiles&) = delete;

  // Unlinks the files, and nothing else: safe in a signal handler. An
  // OutputFile that lost its file in this way fails in Close.
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
  // Force data and name to the disk in Close. Without effect on "-" and on
  // what is no regular file.
  bool fsync = false;
  size_t buffer_bytes = size_t{256} << 10;
  TemporaryFiles* temporaries = nullptr;  // null: nobody removes them
};

class OutputFile {
 public:
  // Opens a temporary file beside `path`. A symbolic link stays: the file that
  // it leads to is replaced, or made where there is none yet; links that lead
  // in a circle are kIo. "-" is standard output and is written as it is, and so
  // is anything that exists and is no regular file: a device, a pipe. A regular
  // file that is replaced hands on its permissions; a new one gets those of the
  // umask.
  static Result<OutputFile> Open(const std::string& path,
                                 const OutputFileOptions& options = {});

  // Writes to what the caller provides, which the OutputFile then owns, also
  // where this fails. `name` is for errors; only options.buffer_bytes counts.
  // kInvalidArgument for a null pointer.
  static Result<OutputFile> ToSink(std::unique_ptr<OutputSink> sink,
                                   const std::string& name,
                                   const OutputFileOptions& options = {});

  OutputFile(OutputFile&&) noexcept;
  OutputFile& operator=(OutputFile&&) noexcept;
  // Without a successful Close the temporary file is removed, and what is
  // still buffered for standard output is lost.
  ~OutputFile();

  // Waits where `path` is a pipe or a terminal that takes nothing more, also
  // where that is non-blocking.
  Status Write(const void* data, size_t size);
  Status Write(std::string_view bytes) {
    return Write(bytes.data(), bytes.size());
  }
  // Hands all that was written to the operating system, or to the sink.
  Status Flush();
  // All of Close but the name. Of files that belong together each is finished
  // before the first gets its name: what can be expected to fail, as for want
  // of room, fails here. Afterwards there is only Close. Once.
  Status Finish();
  // Flushes, closes, and gives the file its name. After a failure nothing of
  // that name exists, or what existed is untouched. Once.
  Status Close();

  // Bytes written so far.
  uint64_t size() const;
  // The name given, "<stdout>" for the path "-".
  const std::string& name() const { return name_; }

 private:
  class Impl;
  explicit OutputFile(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
  std::string name_;
};

}  // namespace headrace

#endif  // HEADRACE_OUTPUT_FILE_H_
