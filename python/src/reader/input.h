// Input files that Python code reads: file objects and remote files.

#ifndef HEADRACE_PYTHON_SRC_READER_INPUT_H_
#define HEADRACE_PYTHON_SRC_READER_INPUT_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "headrace/input_file.h"
#include "headrace/status.h"

namespace headrace::python {

namespace nb = nanobind;

// Keeps the exceptions that Python objects throw while the library calls them,
// until the call returns to Python: the library does not use exceptions.
//
// An exception is either urgent or belongs to a file. An urgent exception ends
// the program or the call (KeyboardInterrupt, or an exception from a progress
// bar or a signal handler): it is thrown whatever the result of the call. In
// place of the exception of a file, the library gets a status with the same
// text. The call that reaches these bytes returns the status. That may be a
// later call, or none if another error occurs first. So the exception is thrown
// only in place of the status that was made from it.
//
// All methods need the GIL, except ThrowLater.
class PendingException {
 public:
  // Keeps the exception of a file, and returns the status for the library.
  Status Keep(nb::python_error&& error);
  // Keeps an exception for which the library is told to stop.
  void KeepUrgent(nb::python_error&& error);
  // Keeps the exception of an allocator of batches, which then fails with
  // kOutOfMemory: that status stands for the exception.
  void KeepOfMemory(nb::python_error&& error);
  // Called after a call that ended with `status`. Throws an urgent exception,
  // or the exception from which the status was made, or the status itself.
  // Returns if there is no urgent exception and the status is ok.
  void Check(const Status& status);
  // Throws an urgent exception as soon as the main thread runs Python code
  // again. Used after a call that has a result, or whose caller cannot handle
  // exceptions.
  void ThrowLater();
  // Returns the exception from which the status was made, or None.
  nb::object Find(const Status& status) const;

 private:
  struct Kept {
    nb::python_error error;
    std::string text;
    bool is_urgent;
    bool is_of_memory = false;
  };
  using List = std::vector<std::unique_ptr<Kept>>;

  void Add(Kept&& kept);
  // Returns null if nothing is kept for the status.
  std::unique_ptr<Kept> Take(const Status& status);
  static List::const_iterator OfStatus(const List& kept, const Status& status);

  mutable std::mutex mutex_;
  List kept_;
};

// Returns a function that opens names by calling `opener`; an empty function if
// `opener` is None. remote/files.py describes the objects that `opener`
// returns. Any thread may call the function, and read its files, without the
// GIL.
OpenInput OpenByPython(nb::object opener,
                       std::shared_ptr<PendingException> pending);

// Returns a function that calls `progress` with the number of bytes done and of
// all bytes, and returns whether to stop, as `progress` does. `progress` must
// outlive the call that reports its progress.
std::function<bool(uint64_t, uint64_t)> ReportTo(
    nb::handle progress, std::shared_ptr<PendingException> pending);

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_READER_INPUT_H_
