// headrace._core.order: computes the rows at positions of an order.

#include "headrace/order.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <span>

#include "python/src/error.h"

namespace headrace::python {
namespace {

using Positions =
    nb::ndarray<uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Replaces the positions, which must be below `rows`, by their rows.
void PositionsToRows(uint64_t rows, uint64_t seed, uint64_t epoch,
                     uint64_t block, uint64_t window,
                     const Positions& positions, uint64_t lanes,
                     uint64_t turn) {
  const std::span<uint64_t> values(positions.data(), positions.size());
  const OrderOptions options = {.rows = rows,
                                .seed = seed,
                                .epoch = epoch,
                                .block = block,
                                .window = window,
                                .lanes = lanes,
                                .turn = turn};
  Status status;
  {
    nb::gil_scoped_release release;
    const Result<Order> order = Order::Make(options);
    status = order ? order->RowsAt(values, values) : order.status();
  }
  Check(status);
}

}  // namespace

void BindOrder(nb::module_& m) {
  m.def("order", &PositionsToRows, nb::arg("rows"), nb::arg("seed"),
        nb::arg("epoch"), nb::arg("block"), nb::arg("window"),
        nb::arg("positions").noconvert(), nb::arg("lanes") = 1,
        nb::arg("turn") = 1);
}

}  // namespace headrace::python
