// RowMaker makes dicts from the rows of batches, without a Python call for each
// value. headrace.Dataset documents their values.

#ifndef HEADRACE_PYTHON_SRC_ROW_MAKER_H_
#define HEADRACE_PYTHON_SRC_ROW_MAKER_H_

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "headrace/batch.h"
#include "python/src/batch.h"

namespace headrace::python {

namespace nb = nanobind;

// Makes numpy objects. It calls numpy's C functions by their indices in its
// table, which never change, so that numpy's headers are not needed.
class NumpyMaker {
 public:
  NumpyMaker();

  // Returns a numpy scalar; `type` is a numpy.dtype of numbers.
  nb::object Scalar(const nb::object& type, const void* value) const;
  // Returns a new array of numbers of `item_size` bytes each, copied from
  // `values`.
  nb::object Array(const nb::object& type, size_t item_size,
                   std::span<const Py_ssize_t> shape, const void* values) const;
  // Returns a new array of bytes objects.
  nb::object BytesArray(const nb::object& type,
                        std::span<const Py_ssize_t> shape,
                        const std::string_view* values) const;

 private:
  nb::object Empty(const nb::object& type,
                   std::span<const Py_ssize_t> shape) const;

  void* const* functions_;
};

// Makes the rows of batches of one layout. The GIL must be held.
class RowMaker {
 public:
  explicit RowMaker(SharedLayout layout);

  nb::object Make(const Batch& batch, size_t row) const;

 private:
  struct Field {
    nb::object name;
    size_t index = 0;      // of the column or tensor in the plan
    nb::object type = {};  // of the values, a numpy.dtype
    // Whether rows are padded to the longest of their batch.
    bool is_padded = false;
    std::vector<nb::object> index_keys = {};  // of a SparseFeature
  };

  nb::object ColumnRow(const Field& field, const Column& column,
                       size_t row) const;
  nb::object TensorRow(const Field& field, const Tensor& tensor,
                       size_t row) const;
  nb::object DenseRow(const Field& field, const Tensor& tensor,
                      size_t row) const;
  nb::object SparseRow(const Field& field, const Tensor& tensor,
                       size_t row) const;
  nb::object RaggedRow(const Field& field, const Tensor& tensor, int64_t row,
                       size_t level) const;
  nb::object ValuesOf(const Field& field, DType dtype, const void* values,
                      int64_t begin, int64_t end) const;

  SharedLayout layout_;
  NumpyMaker numpy_;
  std::vector<Field> fields_;
  nb::object int64_type_;
  nb::dict empty_;  // all names, in order
};

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_ROW_MAKER_H_
