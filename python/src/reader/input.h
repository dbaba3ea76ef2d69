// Python reads these files: file objects and remote files.

#ifndef HEADRACE_PYTHON_SRC_READER_INPUT_H_
#define HEADRACE_PYTHON_SRC_READER_INPUT_H_

#include <nanobind/nanobind.h>

#include <memory>
#include <mutex>
#include <utility>

#include "headrace/input_file.h"

namespace headrace::python {

namespace nb = nanobind;

// The library knows no exceptions. When it calls a Python object that throws,
// the exception is kept here until the call is back in Python.
class PendingException {
 public:
  // The GIL must be held. `by_signal`: the handler of a signal threw it.
  void Keep(nb::python_error&& error, bool by_signal = false);
  // Throws what is kept, if anything is.
  void Rethrow();
  // The call has succeeded, so only KeyboardInterrupt and the like are thrown.
  // Another exception stays, for the call that comes to its bytes.
  void Settle();
  // The caller knows no exceptions and will report an error of its own. The
  // main thread throws Ctrl-C, what a signal's handler threw and the like as
  // soon as it runs Python code again. All else stays kept.
  void ThrowLater();
  // None where nothing is kept. The GIL must be held.
  nb::object value() const;

 private:
  std::unique_ptr<nb::python_error> Take();

  mutable std::mutex mutex_;
  std::unique_ptr<nb::python_error> error_;
  bool is_urgent_ = false;
};

// Opens names by calling `opener`, which gives objects as files.py makes them.
// Any thread may call it, and read its files, without the GIL.
OpenInput OpenByPython(nb::object opener,
                       std::shared_ptr<PendingException> pending);

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_READER_INPUT_H_
