// Arrays of a batch as numpy arrays and DLPack capsules, without a copy.

#ifndef HEADRACE_PYTHON_SRC_NDARRAY_H_
#define HEADRACE_PYTHON_SRC_NDARRAY_H_

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "headrace/batch.h"
#include "headrace/types.h"

namespace headrace::python {

namespace nb = nanobind;

// A row-major array of values that `owner` keeps alive.
struct ArrayView {
  const void* data = nullptr;
  DType dtype = DType::kInt64;
  std::vector<size_t> shape = {};

  size_t size() const;
};

nb::tuple ShapeTuple(const std::vector<size_t>& shape);

// A read-only array over the values. The values of kBytes become Python objects
// in an array of objects; bfloat16 is that of ml_dtypes where it is installed,
// and its bits as uint16 otherwise.
nb::object ToNumpy(const ArrayView& view, nb::handle owner);

// What __array__ of that array returns. A ValueError where copy is False and
// there must be one: for another type, and for bytes.
nb::object AsArray(const nb::object& array, DType own, const nb::object& dtype,
                   const nb::object& copy);

// numpy's type of such an array.
nb::object NumpyType(DType dtype);

// What __dlpack__ of the array returns for these arguments: the array itself,
// or, with `copied`, a new one. BufferError for bytes.
nb::object ToDlpack(const ArrayView& view, nb::handle owner, bool copied,
                    const nb::kwargs& arguments);

// One field of the structures that an array holds, `stride` of its own size
// apart.
nb::object StridedNumpy(const void* data, DType dtype, size_t size,
                        int64_t stride, nb::handle owner);

// One byte a bit, as an array of bool.
nb::object BitsToNumpy(const uint8_t* bits, size_t size);

nb::object ToBytes(std::string_view text);
// A list of bytes objects.
nb::object ToBytesList(std::span<const std::string_view> values);
// A str; what is not UTF-8 is escaped.
nb::object ToText(std::string_view text);
// A str that os.fsencode turns into the same bytes.
nb::object ToPath(std::string_view path);

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_NDARRAY_H_
