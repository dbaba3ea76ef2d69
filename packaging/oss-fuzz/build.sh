#!/bin/bash -eu
# Builds the fuzz targets with the compiler and the flags of the environment. All that they
# need comes from wraps, so that it is instrumented, too.
meson setup build --wrap-mode=forcefallback -Dfuzzing=libfuzzer -Dbenchmarks=false \
  -Dcli=false -Disa_l=disabled -Dlibdeflate=disabled -Db_lundef=false
mapfile -t targets < <(ninja -C build -t targets all | sed -n 's/^\(fuzz\/fuzz_[a-z]*\): .*/\1/p')
ninja -C build "${targets[@]}"
for target in "${targets[@]}"; do
  name=$(basename "$target")
  cp "build/$target" "$OUT/"
  folder=$(mktemp -d)
  python3 fuzz/corpus.py unpack "fuzz/corpus/${name#fuzz_}.tfrecord.gz" "$folder"
  (cd "$folder" && zip -q -r "$OUT/${name}_seed_corpus.zip" .)
  dictionary=fuzz/dictionaries/${name#fuzz_}.dict
  [ ! -f "$dictionary" ] || cp "$dictionary" "$OUT/$name.dict"
done
