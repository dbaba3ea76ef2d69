"""Rates, ratios and the table of bench/compare.py."""

import statistics

COLUMNS = "headrace, columns"
MAPPED = "headrace, columns of mapped files"
TENSORS = "headrace, tensors of a spec"
OWN = (COLUMNS, MAPPED, TENSORS)
LEAST_SHARE = 0.95


def add_rates(side, result):
    """MB/s of uncompressed TFRecord bytes and records/s of one side."""
    seconds = side["seconds"]
    if not seconds or side["status"] != "ok":
        return
    middle, best = statistics.median(seconds), min(seconds)
    side["mb_per_s"] = {"median": result["bytes"] / middle / 1e6,
                        "best": result["bytes"] / best / 1e6}
    side["records_per_s"] = result["records"] / middle


def add_ratios(result):
    """headrace's median over that of each peer."""
    sides = {side["name"]: side for side in result["sides"]}
    for side in result["sides"]:
        if side["name"] in OWN or "mb_per_s" not in side:
            continue
        side["ratio"] = {
            "columns": statistics.median(side["seconds"]) /
            statistics.median(sides[COLUMNS]["seconds"]),
            "tensors": statistics.median(side["seconds"]) /
            statistics.median(sides[TENSORS]["seconds"])}


def line_of(side):
    if "mb_per_s" not in side:
        return f"  {side['name']:<36}{side['status']}"
    rates = side["mb_per_s"]
    line = (f"  {side['name']:<36}{rates['median']:>9,.0f}"
            f"{rates['best']:>9,.0f}{side['records_per_s']:>13,.0f}")
    if "ratio" in side:
        line += (f"{side['ratio']['columns']:>9.2f}"
                 f"{side['ratio']['tensors']:>9.2f}")
    # Long passes suffer from other programs more than short ones do.
    if side.get("cpu_share", 1) < LEAST_SHARE:
        line += f"  had {side['cpu_share']:.0%} of the core"
    return line


def text_of(result):
    head = (f"{result['shape']}: {result['records']:,} records, "
            f"{result['bytes'] / 1e6:,.1f} MB")
    columns = (f"  {'':<36}{'MB/s':>9}{'best':>9}{'records/s':>13}"
               f"{'columns':>9}{'tensors':>9}")
    return "\n".join([head, columns, *map(line_of, result["sides"]), ""])
