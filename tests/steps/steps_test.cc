// Steps taken from batches of episodes, beside the same steps taken from nested
// lists.

#include "headrace/steps.h"

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/arrow.h"
#include "headrace/decoder.h"
#include "src/read/batch/batch_copy.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

using Random = std::mt19937_64;

// Any nesting of lists as text, such as [[1,2],[]]: it tells an empty list from
// none, and where each begins.
template <class T>
std::string Text(const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    return "\"" + value + "\"";
  } else if constexpr (std::is_arithmetic_v<T>) {
    return std::to_string(value);
  } else {
    std::string text = "[";
    for (const auto& item : value) {
      if (text.size() > 1) text += ",";
      text += Text(item);
    }
    return text + "]";
  }
}

std::string ValueText(const Tensor& tensor, size_t i) {
  if (tensor.dtype == DType::kBytes) {
    return Text(std::string(tensor.bytes()[i]));
  }
  if (tensor.dtype == DType::kFloat) return Text(tensor.floats()[i]);
  return Text(tensor.int64s()[i]);
}

std::string DenseItem(const Tensor& tensor, std::span<const int64_t> shape,
                      size_t* value) {
  if (shape.empty()) return ValueText(tensor, (*value)++);
  std::string text = "[";
  for (int64_t i = 0; i < shape[0]; ++i) {
    if (i > 0) text += ",";
    text += DenseItem(tensor, shape.subspan(1), value);
  }
  return text + "]";
}

std::string RaggedItem(const Tensor& tensor, size_t level, size_t index,
                       size_t* value) {
  if (level == tensor.row_splits.size()) {
    return DenseItem(tensor, tensor.shape, value);
  }
  const RowSplits& splits = tensor.row_splits[level];
  std::string text = "[";
  for (int64_t i = splits[index]; i < splits[index + 1]; ++i) {
    if (text.size() > 1) text += ",";
    text += RaggedItem(tensor, level + 1, static_cast<size_t>(i), value);
  }
  return text + "]";
}

// The rows of a tensor as text.
std::vector<std::string> RowsOf(const Batch& batch, std::string_view name) {
  const Tensor& tensor = *batch.FindTensor(name);
  std::vector<std::string> rows;
  size_t value = 0;
  for (size_t row = 0; row < batch.num_rows(); ++row) {
    rows.push_back(tensor.kind == TensorKind::kDense
                       ? DenseItem(tensor, tensor.shape.subspan(1), &value)
                       : RaggedItem(tensor, 0, row, &value));
  }
  EXPECT_EQ(value, tensor.num_values);
  return rows;
}

struct Step {
  int64_t number = 0;
  std::vector<float> action;  // three
  std::string image;
  std::vector<int64_t> touches;  // any number
};
struct Episode {
  int64_t id = 0;
  std::vector<std::string> tags = {};
  std::vector<Step> steps = {};
};

Episode RandomEpisode(Random* random, int64_t id) {
  const auto below = [random](uint64_t limit) { return (*random)() % limit; };
  Episode episode{.id = id};
  for (uint64_t i = below(3); i > 0; --i) {
    episode.tags.push_back("tag" + std::to_string(below(100)));
  }
  for (uint64_t i = below(6); i > 0; --i) {
    Step& step = episode.steps.emplace_back();
    step.number = static_cast<int64_t>(below(1000));
    for (int k = 0; k < 3; ++k) {
      step.action.push_back(static_cast<float>(below(100)));
    }
    step.image = std::string(below(50), static_cast<char>('a' + below(26)));
    for (uint64_t k = below(4); k > 0; --k) {
      step.touches.push_back(static_cast<int64_t>(below(10)));
    }
  }
  return episode;
}

std::string RecordOf(const Episode& episode) {
  std::vector<int64_t> numbers, lengths, touches;
  std::vector<float> actions;
  std::vector<std::string> images;
  for (const Step& step : episode.steps) {
    numbers.push_back(step.number);
    actions.insert(actions.end(), step.action.begin(), step.action.end());
    images.push_back(step.image);
    lengths.push_back(static_cast<int64_t>(step.touches.size()));
    touches.insert(touches.end(), step.touches.begin(), step.touches.end());
  }
  return ExampleBuilder()
      .Int64s("id", {episode.id})
      .Bytes("tags", episode.tags)
      .Int64s("number", numbers)
      .Floats("action", actions)
      .Bytes("image", images)
      .Int64s("touches/values", touches)
      .Int64s("touches/lengths", lengths)
      .Build();
}

FeatureSpec SpecOfEpisodes() {
  return FeatureSpec()
      .Add("id", FixedLen(DType::kInt64))
      .Add("tags", Ragged(DType::kBytes))
      .Add("number", Ragged(DType::kInt64))
      .Add("action",
           Ragged(DType::kFloat, {{.type = PartitionType::kUniformRowLength,
                                   .uniform_row_length = 3}}))
      .Add("image", Ragged(DType::kBytes))
      .Add("touches", Ragged(DType::kInt64, {{.key = "touches/lengths"}},
                             "touches/values", DType::kInt64));
}

const StepOptions kAll = {.steps = {"number", "action", "image", "touches"},
                          .context = {"id", "tags"}};

class StepsTest : public ::testing::Test {
 protected:
  void Make(Random* random, size_t batches) {
    Decoder decoder(plan_);
    for (size_t i = 0; i < batches; ++i) {
      std::vector<Episode>& episodes = episodes_.emplace_back();
      std::vector<std::string> records;
      for (uint64_t k = (*random)() % 5; k > 0; --k) {
        episodes.push_back(RandomEpisode(random, static_cast<int64_t>(k)));
        records.push_back(RecordOf(episodes.back()));
      }
      const std::vector<std::string_view> views(records.begin(), records.end());
      batches_.push_back(*decoder.Decode(views));
    }
  }

  // All steps in their order.
  std::vector<StepRef> AllSteps() const {
    std::vector<StepRef> steps;
    for (uint32_t b = 0; b < episodes_.size(); ++b) {
      for (uint32_t r = 0; r < episodes_[b].size(); ++r) {
        for (uint32_t s = 0; s < episodes_[b][r].steps.size(); ++s) {
          steps.push_back({b, r, s});
        }
      }
    }
    return steps;
  }
  const Episode& EpisodeOf(const StepRef& ref) const {
    return episodes_[ref.batch][ref.row];
  }
  const Step& StepOf(const StepRef& ref) const {
    return EpisodeOf(ref).steps[ref.step];
  }

  // Compares what Take made of `steps`, `window` of them a row.
  void Check(const Batch& batch, const std::vector<StepRef>& steps,
             size_t window) const {
    std::vector<std::string> number, action, image, touches, id, tags;
    const auto begin = [&](std::string* text) { *text += window ? "[" : ""; };
    const size_t per_row = window ? window : 1;
    for (size_t i = 0; i < steps.size(); i += per_row) {
      std::string n, a, m, t;
      for (std::string* text : {&n, &a, &m, &t}) begin(text);
      for (size_t k = i; k < i + per_row; ++k) {
        const std::string comma = k > i ? "," : "";
        const Step& step = StepOf(steps[k]);
        n += comma + Text(step.number);
        a += comma + Text(step.action);
        m += comma + Text(step.image);
        t += comma + Text(step.touches);
      }
      const std::string end = window ? "]" : "";
      number.push_back(n + end);
      action.push_back(a + end);
      image.push_back(m + end);
      touches.push_back(t + end);
      id.push_back(Text(EpisodeOf(steps[i]).id));
      tags.push_back(Text(EpisodeOf(steps[i]).tags));
    }
    ASSERT_EQ(batch.num_rows(), number.size());
    EXPECT_EQ(RowsOf(batch, "number"), number);
    EXPECT_EQ(RowsOf(batch, "action"), action);
    EXPECT_EQ(RowsOf(batch, "image"), image);
    EXPECT_EQ(RowsOf(batch, "touches"), touches);
    EXPECT_EQ(RowsOf(batch, "id"), id);
    EXPECT_EQ(RowsOf(batch, "tags"), tags);
    for (size_t row = 0; row < batch.num_rows(); ++row) {
      EXPECT_EQ(batch.origins()[row].record, steps[row * per_row].row);
    }
  }

  const Plan plan_ = *Plan::Compile(SpecOfEpisodes());
  std::vector<std::vector<Episode>> episodes_;
  std::vector<Batch> batches_;
};

TEST_F(StepsTest, AreThoseOfTheEpisodes) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    episodes_.clear();
    batches_.clear();
    Make(&random, 1 + seed % 4);
    const std::vector<StepRef> all = AllSteps();
    for (uint32_t window : {0u, 1u, 3u}) {
      StepOptions options = kAll;
      options.window = window;
      auto plan = StepPlan::Make(plan_, options);
      ASSERT_THAT(plan, IsOk());
      // First in their order, then any, some of them several times.
      std::vector<StepRef> steps = all;
      if (window > 0) steps.resize(all.size() / window * window);
      for (int round = 0; round < 3; ++round) {
        auto batch = plan->Take(batches_, steps);
        ASSERT_THAT(batch, IsOk());
        Check(*batch, steps, window);
        steps.clear();
        for (uint64_t k = random() % 8 * std::max(window, 1u);
             k > 0 && !all.empty(); --k) {
          steps.push_back(all[random() % all.size()]);
        }
      }
    }
  }
}

TEST_F(StepsTest, BatchesOfStepsOutliveThoseOfEpisodes) {
  Random random(7);
  while (AllSteps().empty()) Make(&random, 2);
  const std::vector<StepRef> steps = AllSteps();
  auto plan = StepPlan::Make(plan_, kAll);
  ASSERT_THAT(plan, IsOk());
  Batch batch = *plan->Take(batches_, steps);
  batches_.clear();
  Check(batch, steps, 0);
  const Batch copy = *CopyBatch(batch);
  batch = Batch();
  Check(copy, steps, 0);
  Check(*LoadBatch(*SaveBatch(copy, std::vector<size_t>{0, 1, 2, 3, 4, 5})),
        steps, 0);
  ArrowArray array;
  ASSERT_THAT(ExportBatch(copy, {.bytes_as = BytesAs::kBinaryView}, &array),
              IsOk());
  EXPECT_EQ(array.length, static_cast<int64_t>(steps.size()));
  array.release(&array);
}

TEST_F(StepsTest, LengthsMustAgree) {
  const std::string record = ExampleBuilder()
                                 .Int64s("id", {1})
                                 .Int64s("number", {1, 2})
                                 .Floats("action", {1, 2, 3})
                                 .Build();
  const std::string empty = ExampleBuilder().Int64s("id", {1}).Build();
  Decoder decoder(plan_);
  const std::vector<std::string_view> records = {empty, record};
  const std::vector<Batch> batches = {*decoder.Decode(records)};
  auto plan = StepPlan::Make(plan_, {.steps = {"number", "action"}});
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(
      plan->Lengths(batches[0]),
      IsError(ErrorCode::kWrongCount, {.feature = "action", .record = 1u}));
  EXPECT_THAT(plan->Take(batches, {}), IsError(ErrorCode::kWrongCount));
  auto one = StepPlan::Make(plan_, {.steps = {"number"}});
  EXPECT_THAT(*one->Lengths(batches[0]), ElementsAre(0, 2));
}

TEST_F(StepsTest, RefusesWhatThereIsNot) {
  const auto make = [this](StepOptions options) {
    return StepPlan::Make(plan_, options);
  };
  EXPECT_THAT(make({}), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(make({.steps = {"numbre"}}),
              IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(make({.steps = {"id"}}), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(make({.steps = {"number", "number"}}),
              IsError(ErrorCode::kBadSpec));
  const Plan sparse =
      *Plan::Compile(FeatureSpec().Add("x", VarLen(DType::kInt64)));
  EXPECT_THAT(StepPlan::Make(sparse, {.steps = {"x"}}),
              IsError(ErrorCode::kInvalidArgument));

  Random random(3);
  while (AllSteps().empty()) Make(&random, 1);
  auto plan = make({.steps = {"number"}, .window = 2});
  ASSERT_THAT(plan, IsOk());
  const StepRef good = AllSteps()[0];
  const auto take = [&](std::vector<StepRef> steps) {
    return plan->Take(batches_, steps);
  };
  EXPECT_THAT(take({good, good}), IsOk());
  EXPECT_THAT(take({good}), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(take({good, {good.batch, good.row, 1000}}),
              IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(take({good, {good.batch, 1000, 0}}),
              IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(take({good, {1000, 0, 0}}), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(plan->Take({}, {}), IsError(ErrorCode::kInvalidArgument));
  const std::vector<Batch> other = {Batch()};
  EXPECT_THAT(plan->Take(other, {}), IsError(ErrorCode::kInvalidArgument));
}

}  // namespace
}  // namespace headrace::testing
