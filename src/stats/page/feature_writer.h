// FeatureWriter writes the data of a feature for the script of a page.

#ifndef HEADRACE_SRC_STATS_PAGE_FEATURE_WRITER_H_
#define HEADRACE_SRC_STATS_PAGE_FEATURE_WRITER_H_

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "headrace/stats_report.h"
#include "headrace/stats_summary.h"
#include "src/stats/page/data_writer.h"
#include "src/stats/page/page_rows.h"

namespace headrace::report {

class FeatureWriter {
 public:
  // A member of the features of both sides; null if a side lacks it. Their
  // histograms share bins.
  template <class Stats>
  using Pair = std::array<const Stats*, 2>;

  // Samples of one feature may have `pictures` bytes of pictures.
  FeatureWriter(const PageDetail& detail, size_t pictures, DataWriter* writer)
      : detail_(detail), pictures_(pictures), writer_(writer) {}

  void Write(const PageRow& row, size_t sides,
             const std::vector<const Remark*>& remarks);

 private:
  void WriteSide(const FeatureSummary& feature, const PageRow& row);
  void WritePresence(const FeatureSummary& feature);
  void WriteLengths(std::string_view key, const LengthStats& lengths,
                    const Pair<LengthStats>& pair);
  template <class T>
  void WriteNumbers(std::string_view key, const NumberStats<T>& numbers,
                    const Pair<NumberStats<T>>& pair);
  template <class T>
  void WriteShape(const NumberStats<T>& numbers,
                  const Pair<NumberStats<T>>& pair);
  template <class T>
  void WriteFrequent(const Distribution<T>& distribution);
  void WriteBytes(std::string_view key, const BytesStats& bytes,
                  const Pair<LengthStats>& lengths);
  void WriteTop(const BytesStats& bytes);
  void WriteSamples(const BytesStats& bytes);
  void WriteClasses(const FeatureSummary& feature);

  const PageDetail detail_;
  const size_t pictures_;
  DataWriter* const writer_;
};

}  // namespace headrace::report

#endif  // HEADRACE_SRC_STATS_PAGE_FEATURE_WRITER_H_
