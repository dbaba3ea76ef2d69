// What constraint_parser.h makes, as text. Fields are written in the order of
// their numbers, so schema_writer.cc writes its own fields between these.

#ifndef HEADRACE_SRC_PLAN_TFMD_CONSTRAINT_WRITER_H_
#define HEADRACE_SRC_PLAN_TFMD_CONSTRAINT_WRITER_H_

#include <string_view>

#include "headrace/schema.h"
#include "src/plan/tfmd/text_writer.h"

namespace headrace::tfmd_forms {

void WriteValueCount(std::string_view name, const tfmd::ValueCount& count,
                     TextWriter* out);
// Its domain, before its presence.
void WriteDomain(const tfmd::Feature& feature, TextWriter* out);
// From its presence to its drift_comparator.
void WriteConstraints(const tfmd::Feature& feature, TextWriter* out);
// What follows its shape, but for its children.
void WriteLastConstraints(const tfmd::Feature& feature, TextWriter* out);

// The lists of strings, before its sparse features.
void WriteEnvironments(const Schema& schema, TextWriter* out);
// What follows its sparse features, before representations.
void WriteConstraints(const Schema& schema, TextWriter* out);

}  // namespace headrace::tfmd_forms

#endif  // HEADRACE_SRC_PLAN_TFMD_CONSTRAINT_WRITER_H_
