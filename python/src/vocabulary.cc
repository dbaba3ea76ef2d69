// The Python class _core.ValueCounter, from which headrace/stats/vocabulary.py
// makes vocabularies.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "python/src/batch.h"
#include "python/src/error.h"
#include "python/src/ndarray.h"
#include "python/src/plan.h"
#include "src/exchange/vocabulary/value_counter.h"

namespace headrace::python {
namespace {

// Counts the values of one column of the batches of a plan.
struct ColumnCounter {
  size_t column;
  ValueCounter counter;
};

ColumnCounter MakeCounter(const PyPlan& plan, const std::string& feature,
                          uint64_t memory) {
  const size_t column = Check(VocabularyColumn(plan.plan(), feature));
  const Kind kind = plan.plan().columns()[column].kind;
  return {.column = column, .counter = ValueCounter(kind, memory)};
}

void CountBatch(ColumnCounter* self, const PyBatch& batch) {
  Check(WithoutGil(
      [&] { return self->counter.Add(batch.batch.columns()[self->column]); }));
}

nb::tuple KeysOf(const ColumnCounter& self, uint64_t min_count, uint64_t size) {
  const VocabularyKeys made =
      Check(WithoutGil([&] { return self.counter.Keys(min_count, size); }));
  const bool has_bytes = made.kind == Kind::kBytes;
  nb::list keys = ToList(made.keys, [&](const VocabularyKey& key) {
    return has_bytes ? nb::object(ToBytes(key.bytes))
                     : nb::object(nb::int_(key.int64));
  });
  nb::list counts =
      ToList(made.keys, [](const VocabularyKey& key) { return key.count; });
  nb::list left_out = ToList(made.left_out, [](const LeftOutKeys& of) {
    return nb::make_tuple(ToText(of.reason), of.keys, of.values);
  });
  return nb::make_tuple(keys, counts, left_out, ToText(LeftOutText(made)));
}

}  // namespace

void BindVocabulary(nb::module_& m) {
  nb::class_<ColumnCounter>(m, "ValueCounter")
      .def(
          "__init__",
          [](ColumnCounter* self, const PyPlan& plan,
             const std::string& feature, uint64_t memory) {
            new (self) ColumnCounter(MakeCounter(plan, feature, memory));
          },
          nb::arg("plan"), nb::arg("feature"), nb::arg("memory"))
      .def("add", &CountBatch, nb::arg("batch"))
      .def_prop_ro(
          "num_values",
          [](const ColumnCounter& self) { return self.counter.num_values(); })
      .def_prop_ro(
          "num_distinct",
          [](const ColumnCounter& self) { return self.counter.num_distinct(); })
      .def("keys", &KeysOf, nb::arg("min_count"), nb::arg("size"));
  m.attr("VOCABULARY_MEMORY") = kVocabularyMemory;
  m.def("vocabulary_feature", &NameOfVocabularyFeature, nb::arg("name"));
}

}  // namespace headrace::python
