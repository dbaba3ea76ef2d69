// Arrays of a batch become numpy arrays and DLPack capsules without a copy.

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

// The values are row-major, and `owner` keeps them alive.
struct ArrayView {
  const void* data = nullptr;
  DType dtype = DType::kInt64;
  std::vector<size_t> shape = {};

  size_t size() const;
};

nb::tuple ShapeTuple(const std::vector<size_t>& shape);

// The array is read-only. The values of kBytes become Python objects in an
// array of objects; bfloat16 is that of ml_dtypes, see RequireBfloat16.
nb::object ToNumpy(const ArrayView& view, nb::handle owner);

// The same numbers for lists and for people: bfloat16 as float32.
nb::object ToNumbers(const ArrayView& view, nb::handle owner);

// Throws MissingPackageError if ml_dtypes, whose bfloat16 numpy takes, is not
// installed: numbers of 16 bits would be taken for the values.
void RequireBfloat16();

// __array__ of that array returns this. A ValueError where copy is False and a
// copy is needed: for another type, and for bytes.
nb::object AsArray(const nb::object& array, DType own, const nb::object& dtype,
                   const nb::object& copy);

// bfloat16 is two bytes of no type without ml_dtypes.
nb::object NumpyType(DType dtype);

// __dlpack__ of the array returns this for these arguments: the array itself,
// or, with `copied`, a new one. BufferError for bytes.
nb::object ToDlpack(const ArrayView& view, nb::handle owner, bool copied,
                    const nb::kwargs& arguments);

// The array has one field of each structure in an array; `stride` counts in the
// field's size.
nb::object StridedNumpy(const void* data, DType dtype, size_t size,
                        int64_t stride, nb::handle owner);

// Each bit becomes a byte of an array of bool.
nb::object BitsToNumpy(const uint8_t* bits, size_t size);

nb::object ToBytes(std::string_view text);
nb::object ToBytesList(std::span<const std::string_view> values);
// Bytes that are not UTF-8 are escaped.
nb::object ToText(std::string_view text);
// repr(), with escapes for what is not visible (headrace/visible.py).
std::string Quoted(nb::handle value);
// os.fsencode turns the str into the same bytes.
nb::object ToPath(std::string_view path);

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_NDARRAY_H_
