#include "src/read/batch/batch_copy.h"

#include <xxhash.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "headrace/version.h"
#include "src/base/checked_math.h"
#include "src/base/convert.h"
#include "src/base/out_of_memory.h"
#include "src/plan/compile/program.h"
#include "src/read/batch/batch_arrays.h"
#include "src/read/batch/batch_storage.h"

namespace headrace {
namespace {

using reader::ArrayCopier;
using reader::ArrayReader;
using reader::ArrayWriter;
using reader::BatchPool;
using reader::BatchStorage;

constexpr std::string_view kMagic = "headrace " HEADRACE_VERSION_STRING "\n";
// Readable bytes after the last value, as after a window.
constexpr size_t kSlack = 64;

// The parts of a batch that are copied or saved, in the order of its plan.
struct Content {
  Plan plan;
  size_t num_rows = 0;
  std::vector<Column> columns = {};
  std::vector<Tensor> tensors = {};
  std::vector<RowOrigin> origins = {};
};

template <class Archive>
void Walk(Archive* archive, Content* content) {
  for (Column& column : content->columns) {
    reader::WalkColumn(archive, &column);
  }
  for (Tensor& tensor : content->tensors) {
    reader::WalkTensor(archive, content->num_rows, &tensor);
  }
}

Result<Batch> Make(Content content) {
  const Limits limits{.max_batch_bytes = std::numeric_limits<uint64_t>::max()};
  const auto pool = std::make_shared<BatchPool>(limits);
  BatchStorage* const storage = pool->Acquire(content.plan);
  Batch batch = BatchStorage::MakeBatch(storage);
  ArrayCopier counter;
  Walk(&counter, &content);
  const size_t text_at = counter.array_bytes();
  uint8_t* const memory =
      storage->AllocateInput(text_at + counter.text_bytes() + kSlack);
  if (memory == nullptr) return Status::OutOfMemory();
  std::memset(memory + text_at + counter.text_bytes(), 0, kSlack);
  ArrayCopier copier(memory, memory + text_at);
  Walk(&copier, &content);
  assert(copier.array_bytes() == counter.array_bytes());
  assert(copier.text_bytes() == counter.text_bytes());
  for (size_t i = 0; i < content.columns.size(); ++i) {
    content.columns[i].name = storage->plan().columns()[i].name;
  }
  const plan::Program& program = plan::Program::Of(storage->plan());
  for (size_t i = 0; i < content.tensors.size(); ++i) {
    content.tensors[i].name = program.tensors()[i].feature.name;
    if (content.tensors[i].kind == TensorKind::kJagged) {
      content.tensors[i].keys = program.outputs()[i].keys;
    }
  }
  storage->Hold({.num_rows = content.num_rows,
                 .columns = std::move(content.columns),
                 .tensors = std::move(content.tensors),
                 .origins = std::move(content.origins),
                 .bytes = {memory + text_at, counter.text_bytes()}});
  return batch;
}

// Returns the spec of these tensors. The last tensors of a plan of lists may be
// the sizes and the mask, which are not features.
FeatureSpec SpecOf(const Plan& plan, std::span<const size_t> fields) {
  FeatureSpec spec(plan.message());
  const plan::ListParts* const parts = plan::Program::Of(plan).lists();
  ListOptions lists;
  size_t num_features = plan.tensors().size();
  if (parts != nullptr) {
    lists.list_size = static_cast<int64_t>(parts->list_size);
    num_features -= size_t{parts->has_sizes} + parts->has_mask;
  }
  for (const size_t field : fields) {
    const TensorField& tensor = plan.tensors()[field];
    const auto& [name, config] = tensor.feature;
    if (field >= num_features) {
      const bool is_sizes = parts->has_sizes && field == num_features;
      (is_sizes ? lists.size_feature_name : lists.mask_feature_name) = name;
    } else if (tensor.in_examples) {
      spec.AddToExamples(name, config);
    } else if (tensor.in_sequence) {
      spec.AddSequence(name, config);
    } else {
      spec.Add(name, config);
    }
  }
  if (parts != nullptr) spec.SetLists(std::move(lists));
  return spec;
}

// Returns a plan that has only the tensors `fields`. Their spec is valid,
// because they are from a plan; but two of them may read the same key in ways
// that only a schema allows, which is an error.
Result<Plan> PlanOfTensors(const Plan& plan, std::span<const size_t> fields) {
  return Plan::Compile(SpecOf(plan, fields));
}

Result<Plan> PlanOfColumns(const Plan& plan, std::span<const size_t> fields) {
  if (plan.message() == MessageType::kRaw) return plan;
  std::vector<ColumnField> columns;
  for (const size_t field : fields) columns.push_back(plan.columns()[field]);
  return Plan::ForColumns(std::move(columns), plan.message(),
                          plan.has_sequence_struct());
}

Result<Content> Select(const Batch& batch, std::span<const size_t> given) {
  const Plan& plan = *PlanOf(batch);
  // The fields of a plan of lists are in a fixed order.
  std::vector<size_t> fields(given.begin(), given.end());
  if (IsListOfExamples(plan.message())) std::ranges::sort(fields);
  const bool has_tensors = !plan.tensors().empty();
  const size_t count = plan.columns().size() + plan.tensors().size();
  for (const size_t field : fields) {
    if (field < count) continue;
    return Status(ErrorCode::kInvalidArgument,
                  "no column or tensor has the index " + std::to_string(field) +
                      ": there are " + std::to_string(count));
  }
  auto selected =
      has_tensors ? PlanOfTensors(plan, fields) : PlanOfColumns(plan, fields);
  if (!selected.ok()) return selected.status();
  Content content{.plan = *std::move(selected), .num_rows = batch.num_rows()};
  for (const size_t field : fields) {
    if (has_tensors) {
      content.tensors.push_back(batch.tensors()[field]);
    } else {
      content.columns.push_back(batch.columns()[field]);
    }
  }
  content.origins.assign(batch.origins().begin(), batch.origins().end());
  return content;
}

std::string Save(Content content) {
  std::string out(kMagic);
  out.append(sizeof(uint64_t), '\0');  // room for the checksum
  ArrayWriter writer(&out);
  const auto number = [&](uint64_t value) { writer.Number(&value); };
  const Plan& plan = content.plan;
  number(static_cast<uint64_t>(plan.message()));
  number(plan.has_sequence_struct());
  number(content.num_rows);
  number(plan.columns().size());
  for (const ColumnField& column : plan.columns()) {
    writer.Text(column.name);
    number(static_cast<uint64_t>(column.kind));
    number(column.in_sequence);
  }
  std::vector<size_t> fields(plan.tensors().size());
  std::iota(fields.begin(), fields.end(), size_t{0});
  number(content.tensors.size());
  writer.Text(content.tensors.empty() ? "" : SpecOf(plan, fields).ToJson());
  number(content.origins.size());
  for (const RowOrigin& origin : content.origins) {
    number(origin.record);
    number(origin.offset);
    number(origin.file);
    number(origin.recovered);
  }
  Walk(&writer, &content);
  const size_t begin = kMagic.size() + sizeof(uint64_t);
  const uint64_t checksum = XXH3_64bits(out.data() + begin, out.size() - begin);
  std::memcpy(out.data() + kMagic.size(), &checksum, sizeof(checksum));
  return out;
}

uint64_t Take(ArrayReader* in) {
  uint64_t value;
  in->Number(&value);
  return value;
}

Result<Plan> LoadPlan(ArrayReader* in, size_t* num_rows) {
  const auto message = static_cast<MessageType>(Take(in));
  const bool sequence_struct = Take(in) != 0;
  *num_rows = static_cast<size_t>(Take(in));
  std::vector<ColumnField> columns;
  for (uint64_t left = Take(in); left > 0 && !in->failed(); --left) {
    ColumnField column{.name = in->Text()};
    column.kind = static_cast<Kind>(Take(in));
    column.in_sequence = Take(in) != 0;
    columns.push_back(std::move(column));
  }
  const bool has_tensors = Take(in) > 0;
  const std::string json = in->Text();
  if (message == MessageType::kRaw) return Plan::ForRaw();
  if (!has_tensors) {
    return Plan::ForColumns(std::move(columns), message, sequence_struct);
  }
  HEADRACE_ASSIGN_OR_RETURN(const FeatureSpec spec,
                            FeatureSpec::FromJson(json));
  HEADRACE_ASSIGN_OR_RETURN(
      auto program, plan::Program::ForSpec(spec, /*has_functions=*/false));
  return plan::Program::MakePlan(std::move(program));
}

Result<Batch> Load(std::string_view saved) {
  ArrayReader in(saved);
  size_t num_rows;
  auto plan = LoadPlan(&in, &num_rows);
  if (!plan.ok()) return plan.status();
  Content content{.plan = *std::move(plan), .num_rows = num_rows};
  for (uint64_t left = Take(&in); left > 0 && !in.failed(); --left) {
    RowOrigin origin{.record = Take(&in), .offset = Take(&in)};
    origin.file = static_cast<uint32_t>(Take(&in));
    origin.recovered = Take(&in) != 0;
    content.origins.push_back(origin);
  }
  for (const ColumnField& field : content.plan.columns()) {
    Column& column = content.columns.emplace_back();
    column.kind = field.kind;
    column.in_sequence = field.in_sequence;
    column.num_rows = num_rows;
  }
  for (const TensorField& field : content.plan.tensors()) {
    Tensor& tensor = content.tensors.emplace_back();
    tensor.dtype = field.feature.tensor_dtype();
    tensor.in_sequence = field.in_sequence;
  }
  Walk(&in, &content);
  if (in.failed()) {
    return Status(ErrorCode::kInvalidArgument, "the saved batch is cut short");
  }
  return Make(std::move(content));
}

Status CheckSaved(std::string_view saved) {
  const size_t begin = kMagic.size() + sizeof(uint64_t);
  if (!saved.starts_with(kMagic) || saved.size() < begin) {
    return Status(ErrorCode::kInvalidArgument,
                  "this is not a batch that headrace " HEADRACE_VERSION_STRING
                  " saved; load a batch with the version that saved it");
  }
  uint64_t checksum;
  std::memcpy(&checksum, saved.data() + kMagic.size(), sizeof(checksum));
  if (checksum == XXH3_64bits(saved.data() + begin, saved.size() - begin)) {
    return Status();
  }
  return Status(ErrorCode::kInvalidArgument,
                "the checksum of the saved batch is wrong");
}

// Returns the config of a feature whose dense tensor has this type, and rows of
// this shape.
FeatureConfig FixedLenOf(DType dtype, std::vector<int64_t> shape) {
  const DType wire = WireTypeOf(dtype);
  FeatureConfig config = FixedLen(wire, std::move(shape));
  if (wire != dtype) config.as = dtype;
  return config;
}

}  // namespace

Result<Batch> CopyBatch(const Batch& batch) {
  if (BatchStorage::Of(batch) == nullptr) return Batch();
  return CatchOutOfMemory([&]() -> Result<Batch> {
    const auto values = [](auto span) {
      return std::vector(span.begin(), span.end());
    };
    return Make({.plan = BatchStorage::Of(batch)->plan(),
                 .num_rows = batch.num_rows(),
                 .columns = values(batch.columns()),
                 .tensors = values(batch.tensors()),
                 .origins = values(batch.origins())});
  });
}

Result<Batch> CopyBatch(const Batch& batch, std::span<const size_t> fields) {
  if (BatchStorage::Of(batch) == nullptr && fields.empty()) return Batch();
  return CatchOutOfMemory([&]() -> Result<Batch> {
    auto content = Select(batch, fields);
    if (!content.ok()) return content.status();
    return Make(*std::move(content));
  });
}

Result<std::string> SaveBatch(const Batch& batch,
                              std::span<const size_t> fields) {
  return CatchOutOfMemory([&]() -> Result<std::string> {
    auto content = Select(batch, fields);
    if (!content.ok()) return content.status();
    return Save(*std::move(content));
  });
}

Result<std::string> SaveValues(DType dtype, std::span<const int64_t> shape,
                               const void* values) {
  return CatchOutOfMemory([&]() -> Result<std::string> {
    FeatureSpec spec;
    spec.Add("values", FixedLenOf(dtype, {shape.begin() + 1, shape.end()}));
    auto plan = Plan::Compile(spec);
    if (!plan.ok()) return plan.status();
    Tensor tensor;
    tensor.dtype = dtype;
    tensor.shape = shape;
    tensor.values = values;
    tensor.num_values = static_cast<size_t>(std::accumulate(
        shape.begin(), shape.end(), int64_t{1}, std::multiplies<>()));
    return Save({.plan = *std::move(plan),
                 .num_rows = static_cast<size_t>(shape[0]),
                 .tensors = {tensor}});
  });
}

Result<Batch> LoadBatch(std::string_view saved) {
  return CatchOutOfMemory([&]() -> Result<Batch> {
    Status status = CheckSaved(saved);
    if (!status.ok()) return status;
    return Load(saved.substr(kMagic.size() + sizeof(uint64_t)));
  });
}

const Plan* PlanOf(const Batch& batch) {
  const BatchStorage* const storage = BatchStorage::Of(batch);
  return storage == nullptr ? nullptr : &storage->plan();
}

std::vector<std::span<const uint8_t>> SlabsOf(const Batch& batch) {
  std::vector<std::span<const uint8_t>> slabs;
  const BatchStorage* const storage = BatchStorage::Of(batch);
  if (storage == nullptr) return slabs;
  for (const tensor::Slabs::Slab& slab : storage->slabs()) {
    if (slab.data != nullptr) slabs.emplace_back(slab.data, slab.size);
  }
  return slabs;
}

}  // namespace headrace
