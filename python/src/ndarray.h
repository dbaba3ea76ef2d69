// Converts arrays of a batch to numpy arrays and DLPack capsules without a
// copy, and texts and lists to Python objects.

#ifndef HEADRACE_PYTHON_SRC_NDARRAY_H_
#define HEADRACE_PYTHON_SRC_NDARRAY_H_

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/batch.h"
#include "headrace/types.h"

namespace headrace::python {

namespace nb = nanobind;

// An array in memory that something else owns. The values are row-major.
struct ArrayView {
  const void* data = nullptr;
  DType dtype = DType::kInt64;
  std::vector<size_t> shape = {};

  size_t size() const;
};

nb::tuple ShapeTuple(const std::vector<size_t>& shape);

// Returns a read-only array that keeps `owner` alive. The values of kBytes
// become Python objects in an array of objects; bfloat16 is the type of
// ml_dtypes, see RequireBfloat16.
nb::object ToNumpy(const ArrayView& view, nb::handle owner);

// Like ToNumpy, for lists and for display: bfloat16 becomes float32.
nb::object ToNumbers(const ArrayView& view, nb::handle owner);

// Throws MissingPackageError unless ml_dtypes, which adds bfloat16 to numpy, is
// installed: otherwise the bits would look like the values.
void RequireBfloat16();

// Returns the result of __array__ for an array of the type `own`. Throws
// ValueError if `copy` is False and a copy is needed, as it is for another
// type, and for bytes.
nb::object AsArray(const nb::object& array, DType own, const nb::object& dtype,
                   const nb::object& copy);

// Returns a numpy.dtype. Without ml_dtypes bfloat16 is two untyped bytes.
nb::object NumpyType(DType dtype);

// Returns the result of __dlpack__ with these arguments: a capsule of the array
// itself, or, if `copied`, of a copy. Throws BufferError for bytes.
nb::object ToDlpack(const ArrayView& view, nb::handle owner, bool copied,
                    const nb::kwargs& arguments);

// Returns an array of one field of each structure in an array; `stride` is a
// multiple of the field's size.
nb::object StridedNumpy(const void* data, DType dtype, size_t size,
                        int64_t stride, nb::handle owner);

// Returns an array of bool, a byte for each bit.
nb::object BitsToNumpy(const uint8_t* bits, size_t size);

nb::object ToBytes(std::string_view text);
nb::object ToBytesList(std::span<const std::string_view> values);
// Returns a str, with bytes that are not UTF-8 escaped.
nb::object ToText(std::string_view text);
// Returns the repr, with invisible characters escaped (headrace/arguments.py).
std::string Quoted(nb::handle value);
// Returns a str that os.fsencode turns back into the same bytes.
nb::object ToPath(std::string_view path);

// Returns the end of a range as an int; None for kUnknown.
nb::object ToEnd(uint64_t end);

inline std::string_view ViewOf(const nb::bytes& bytes) {
  return {bytes.c_str(), bytes.size()};
}
std::vector<std::string> StringsOf(const std::vector<nb::bytes>& values);

// Returns the list of make(item) for each of the items.
template <class Items, class Make>
nb::list ToList(const Items& items, Make make) {
  nb::list list;
  for (const auto& item : items) list.append(make(item));
  return list;
}

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_NDARRAY_H_
