# ./dev bench-record: measures the commit that is checked out, adds the point to
# bench/history and writes the pages that show it.
# Other readers take gigabytes: they are installed when asked for, and used when
# there.
peers=.venv-peers
arguments=()
for argument in "$@"; do
  if [ "$argument" = --peers ]; then
    need_venv "$peers" bench/requirements.txt
  else
    arguments+=("$argument")
  fi
done
[ ! -x "$peers/bin/python" ] ||
  arguments=(--peers-python "$peers/bin/python" "${arguments[@]}")
build_release bench/bench_decode src/cli/headrace
python3 bench/history/record.py "${arguments[@]}"
python3 bench/history/pages.py
