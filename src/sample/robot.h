// Episodes of a robot in the form of RLDS, for a folder of TFDS.

#ifndef HEADRACE_SRC_SAMPLE_ROBOT_H_
#define HEADRACE_SRC_SAMPLE_ROBOT_H_

#include <cstdint>
#include <string>

#include "src/sample/example_builder.h"
#include "src/sample/random.h"

namespace headrace::sample {

// The arm moves towards the place that its instruction names: an action is an
// eighth of the way that is left, and a little noise. So there is something to
// learn.
void BuildEpisode(uint64_t index, Random* random, ExampleBuilder* builder);

// The text of features.json for these records.
std::string EpisodeFeatures();

}  // namespace headrace::sample

#endif  // HEADRACE_SRC_SAMPLE_ROBOT_H_
