// Fingerprint64 is the Hash64 of FarmHash's `na` namespace, which is fixed
// forever: TensorFlow and BigQuery return the same numbers.

#ifndef HEADRACE_SRC_PLAN_FUNCTION_FINGERPRINT_H_
#define HEADRACE_SRC_PLAN_FUNCTION_FINGERPRINT_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace headrace::function {

// Reads no byte outside of `bytes`.
uint64_t Fingerprint64(std::string_view bytes);

// Returns the fingerprint of the number's decimal text, such as "-12".
uint64_t Fingerprint64(int64_t number);

// Returns the fingerprint modulo `buckets`, which is in [1, 2^63).
template <class Key>
int64_t HashBucket(Key key, uint64_t buckets) {
  return static_cast<int64_t>(Fingerprint64(key) % buckets);
}

// Stores the bucket of each key in `out`.
void HashBuckets(std::span<const std::string_view> keys, uint64_t buckets,
                 int64_t* out);
void HashBuckets(std::span<const int64_t> keys, uint64_t buckets, int64_t* out);

}  // namespace headrace::function

#endif  // HEADRACE_SRC_PLAN_FUNCTION_FINGERPRINT_H_
