// Makes episodes of a robot in the form of RLDS, for a folder of TFDS.

#ifndef HEADRACE_SRC_SAMPLE_ROBOT_H_
#define HEADRACE_SRC_SAMPLE_ROBOT_H_

#include <cstdint>
#include <string>

#include "src/sample/example_builder.h"
#include "src/sample/random.h"

namespace headrace::sample {

// Adds an episode in which the arm moves towards the place that its instruction
// names: each action is an eighth of the remaining distance plus a little
// noise, so there is something to learn.
void BuildEpisode(uint64_t index, Random* random, ExampleBuilder* builder);

// Returns the features.json of these records.
std::string EpisodeFeatures();

}  // namespace headrace::sample

#endif  // HEADRACE_SRC_SAMPLE_ROBOT_H_
