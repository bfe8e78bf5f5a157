"""The first screen from JSONL (plain, gzip or zstd), with Polars.

POLARS_MAX_THREADS=THREADS polars_report.py THREADS MASK,ROLLOUT,TRAINER FILE...
"""

import screen  # isort: skip
import sys

import polars as pl

screen.imported()
names = sys.argv[2].split(",")
schema = dict(zip(names, (pl.List(pl.Int32), pl.List(pl.Float32), pl.List(pl.Float32)), strict=True))
edges = pl.Series(screen.EDGES, dtype=pl.Float32)
mask, a, b = (pl.col(name) for name in names)
delta, magnitude, ratio, p, q = (pl.col(name) for name in ("delta", "magnitude", "ratio", "p", "q"))
rows, moments, deciles, histograms, magnitudes = [], [], [], [], []


def total(x):
    return x.cast(pl.Float64).sum()


for path in sys.argv[3:]:
    steps = pl.scan_ndjson(path, schema=schema).with_row_index("row")
    steps = steps.with_columns(length=mask.list.len(), position=pl.int_ranges(mask.list.len(), dtype=pl.UInt32))
    tokens = steps.explode("position", *names).filter(mask == 1)
    tokens = tokens.select("row", tenth=pl.col("position") * 10 // pl.col("length"), delta=b - a, p=a.exp(), q=b.exp())
    tokens = tokens.with_columns(magnitude=delta.abs(), ratio=delta.exp()).collect()
    sums = [total(x).alias(str(i)) for i, x in enumerate((magnitude, ratio - 1 - delta, ratio, ratio * ratio))]
    rows.append(tokens.group_by("row").agg(pl.len().cast(pl.Float64), *sums))
    sums = [total(x).alias(str(i)) for i, x in enumerate((p, q, p * p, q * q, p * q))]
    moments.append(tokens.select(*sums, (q - p).abs().max().alias("largest")))
    deciles.append(tokens.group_by("tenth").agg(total(magnitude), pl.len()))
    histograms.append(edges.search_sorted(tokens["delta"]).alias("bin").value_counts())
    magnitudes.append(tokens["magnitude"])

every = pl.concat(magnitudes)
extremes = [every.quantile(share, "higher") for share in (0.99, 0.999)]
rows = pl.concat(rows).drop("row").to_numpy().T
*moments, largest = pl.concat(moments).select(pl.all().exclude("largest").sum(), pl.col("largest").max()).row(0)
deciles = pl.concat(deciles).group_by("tenth").sum().sort("tenth").select(magnitude / pl.col("len")).to_series()
histogram = pl.concat(histograms).group_by("bin").sum().sort("bin")["count"]
screen.show(rows, moments, [*extremes, every.max(), largest], deciles.to_list(), histogram.to_list(), len(magnitudes))
