// Writes as text the constraints that constraint_parser.h reads. Fields are in
// the order of their numbers, so schema_writer.cc writes its own in between.

#ifndef HEADRACE_SRC_PLAN_TFMD_CONSTRAINT_WRITER_H_
#define HEADRACE_SRC_PLAN_TFMD_CONSTRAINT_WRITER_H_

#include <string_view>

#include "headrace/schema.h"
#include "src/plan/tfmd/text_writer.h"

namespace headrace::tfmd_forms {

void WriteValueCount(std::string_view name, const tfmd::ValueCount& count,
                     TextWriter* out);
// Writes the domain, which is before the presence.
void WriteDomain(const tfmd::Feature& feature, TextWriter* out);
// Writes the fields from presence to drift_comparator.
void WriteConstraints(const tfmd::Feature& feature, TextWriter* out);
// Writes the fields after the shape, except the children.
void WriteLastConstraints(const tfmd::Feature& feature, TextWriter* out);

// Writes the lists of strings, which are before the sparse features.
void WriteEnvironments(const Schema& schema, TextWriter* out);
// Writes the fields after the sparse features and before the representations.
void WriteConstraints(const Schema& schema, TextWriter* out);

}  // namespace headrace::tfmd_forms

#endif  // HEADRACE_SRC_PLAN_TFMD_CONSTRAINT_WRITER_H_
