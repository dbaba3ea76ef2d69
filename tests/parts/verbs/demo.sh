# ./dev demo: generates files, looks into them, converts them.

# The program alone: whoever wants to see it does not wait for the tests.
build_release src/cli/headrace
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
show() { say "headrace $*"; build/src/cli/headrace "$@"; }

records=200000
people="$dir/people.tfrecord"
show gen -o "$people" --shape people --records "$records"
show head -n 5 "$people"
show schema "$people"
start=$(date +%s%N)
show convert "$people" -o "$dir/people.arrow"
end=$(date +%s%N)
awk -v bytes="$(stat -c %s "$people")" -v ns="$((end - start))" \
  -v records="$records" 'BEGIN {
    printf "converted %d records, %.1f MB in %.3f s: %.2f GB/s\n",
           records, bytes / 1e6, ns / 1e9, bytes / ns }'

# SequenceExamples: the first is the one of TensorFlow's documentation.
movies="$dir/movies.tfrecord"
show gen -o "$movies" --shape movie
show head -n 2 "$movies"
show convert "$movies" -o "$dir/movies.arrow"
