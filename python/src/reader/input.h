// Python reads these files: file objects and remote files.

#ifndef HEADRACE_PYTHON_SRC_READER_INPUT_H_
#define HEADRACE_PYTHON_SRC_READER_INPUT_H_

#include <nanobind/nanobind.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "headrace/input_file.h"
#include "headrace/status.h"

namespace headrace::python {

namespace nb = nanobind;

// The library knows no exceptions. What a Python object throws while the
// library calls it is kept here until the call is back in Python.
//
// An exception is urgent or of a file. An urgent one ends the program or the
// call (KeyboardInterrupt, or what a progress bar or a signal's handler threw):
// it comes out whatever becomes of the call. For one of a file the library gets
// a status with the same text, and gives it to whoever comes to these bytes.
// That may be a later call, or none where another error comes first. So the
// exception comes out in place of the status made of it, and of no other.
//
// All methods need the GIL, except ThrowLater.
class PendingException {
 public:
  // Keeps the exception of a file, and gives the status for the library.
  Status Keep(nb::python_error&& error);
  // Keeps an exception for which the library is told to stop.
  void KeepUrgent(nb::python_error&& error);
  // Throws, for a call that ended with `status`, what is urgent, the exception
  // that the status was made of, or the status itself; returns if it is ok.
  void Check(const Status& status);
  // Throws what is urgent as soon as the main thread runs Python code again,
  // for a call that gives a result or whose caller knows no exceptions.
  void ThrowLater();
  // The exception that the status was made of, or None.
  nb::object Find(const Status& status) const;

 private:
  struct Kept {
    nb::python_error error;
    std::string text;
    bool is_urgent;
  };
  using List = std::vector<std::unique_ptr<Kept>>;

  void Add(nb::python_error&& error, std::string text, bool is_urgent);
  // Gives null where nothing is kept for the status.
  std::unique_ptr<Kept> Take(const Status& status);
  static List::const_iterator OfStatus(const List& kept, const Status& status);

  mutable std::mutex mutex_;
  List kept_;
};

// Opens names by calling `opener`, which gives objects as files.py makes them.
// Any thread may call it, and read its files, without the GIL.
OpenInput OpenByPython(nb::object opener,
                       std::shared_ptr<PendingException> pending);

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_READER_INPUT_H_
