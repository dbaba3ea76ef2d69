// The JSON that the script of a page reads. Members that are zero or empty are
// absent. A list of sides has one element for each dataset, null if it lacks
// the feature.
//
//   {"sides": [side], "features": [feature]}
//   side: {"name", "records", "by", "classes": [[name, records]]}
//   feature: {"n": name, "s": 1 if a feature list, "k": kind,
//             "f": [figures of a side], "w": [remark]}
//   figures: {"p": present, "m": missing, "u": unset, "k": [records by kind],
//             "b": bytes in the file, "at": [file, record] of its first record,
//             "v": lengths of values, "st": of steps, "sv": of values a step,
//             "us": unset steps, "i": numbers, "x": numbers, "t": bytes,
//             "c": categories, "y": [[present, numbers, mean] of a class]}
//   lengths: [count, min, mean, max, histogram]
//   numbers: {"c": count, "z": zeros, "nan", "pi": positive infinities, "ni",
//             "r": [min, mean, max, deviation], "q": [quantiles],
//             "e": their error, "h": histogram, "g": logarithmic histogram,
//             "n": distinct values, "o": [[value, count]] the most frequent}
//   bytes: {"c": count, "l": lengths, "u": UTF-8, "n": distinct, "e": its
//           error, "o": [[text, count, error]], "oe": error of others,
//           "s": [[text, size, look, width, height, base64 of a picture]]}
//   histogram: [codes of bins.h, low, high, scale]

#include "src/stats/page/page_data.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "src/stats/page/data_writer.h"
#include "src/stats/page/feature_writer.h"
#include "src/stats/report/display_text.h"

namespace headrace::report {
namespace {

using RemarkTable =
    std::map<std::pair<bool, std::string_view>, std::vector<const Remark*>>;

RemarkTable RemarksByFeature(const PageContent& content) {
  RemarkTable table;
  for (const PageSide& side : content.sides) {
    for (const Remark& remark : side.remarks) {
      if (IsOfFiles(remark)) continue;
      table[{remark.in_sequence, remark.feature}].push_back(&remark);
    }
  }
  return table;
}

bool HasPictures(const PageRow& row) {
  for (const FeatureSummary* feature : row.features) {
    if (feature == nullptr || !feature->bytes) continue;
    for (const BytesSample& sample : feature->bytes->samples) {
      if (!sample.picture.empty()) return true;
    }
  }
  return false;
}

void WriteSideHead(const PageSide& side, DataWriter* writer) {
  writer->Open('{');
  writer->Add("name", side.name);
  writer->Add("records", side.stats->records);
  if (!side.stats->classes.empty()) {
    writer->Add("by", Printable(side.stats->by));
    writer->AddList("classes", side.stats->classes, [&](const auto& a_class) {
      writer->Tuple(Printable(a_class.first), a_class.second);
    });
  }
  writer->Close('}');
}

}  // namespace

void AppendPageData(const PageContent& content, const PageDetail& detail,
                    std::string* out) {
  DataWriter writer(out);
  writer.Open('{');
  writer.AddList("sides", content.sides,
                 [&](const PageSide& side) { WriteSideHead(side, &writer); });
  const auto with_pictures = static_cast<size_t>(
      std::count_if(content.rows.begin(), content.rows.end(), HasPictures));
  FeatureWriter feature_writer(detail,
                               detail.pictures / content.sides.size() /
                                   std::max<size_t>(with_pictures, 1),
                               &writer);
  RemarkTable remarks = RemarksByFeature(content);
  writer.AddList("features", content.rows, [&](const PageRow& row) {
    feature_writer.Write(row, content.sides.size(),
                         remarks[{row.in_sequence, row.name}]);
  });
  writer.Close('}');
}

}  // namespace headrace::report
