// Files that Python reads: file objects and remote files.

#ifndef HEADRACE_PYTHON_SRC_READER_INPUT_H_
#define HEADRACE_PYTHON_SRC_READER_INPUT_H_

#include <nanobind/nanobind.h>

#include <memory>
#include <mutex>
#include <utility>

#include "headrace/input_file.h"

namespace headrace::python {

namespace nb = nanobind;

// The exception of a Python object that was called from inside the library,
// which knows no exceptions: kept here until the call is back in Python.
class PendingException {
 public:
  // With the GIL held. `by_signal`: what the handler of a signal threw.
  void Keep(nb::python_error&& error, bool by_signal = false);
  // Throws what is kept, if anything is.
  void Rethrow();
  // After a call that came to a good end: KeyboardInterrupt and the like are
  // thrown. An exception stays, for the call that comes to the bytes it is of.
  void Settle();
  // For callers that know no exceptions and will report an error of their own:
  // Ctrl-C, what a signal's handler threw and the like is thrown by the main
  // thread as soon as it runs Python code again. All else stays kept.
  void ThrowLater();
  // What is kept, or None. With the GIL held.
  nb::object value() const;

 private:
  std::unique_ptr<nb::python_error> Take();

  mutable std::mutex mutex_;
  std::unique_ptr<nb::python_error> error_;
  bool is_urgent_ = false;
};

// Opens names by calling `opener`, which gives objects as files.py makes them.
// May be called, and its files read, from any thread without the GIL.
OpenInput OpenByPython(nb::object opener,
                       std::shared_ptr<PendingException> pending);

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_READER_INPUT_H_
