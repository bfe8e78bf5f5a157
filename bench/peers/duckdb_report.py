"""The first screen from Parquet files with list columns, with DuckDB: three queries over one table of tokens.

duckdb_report.py THREADS MASK,ROLLOUT,TRAINER FILE...
"""

import screen  # isort: skip
import sys

import duckdb

screen.imported()
mask, a, b = sys.argv[2].split(",")
db = duckdb.connect(config={"threads": int(sys.argv[1]), "preserve_insertion_order": False})
db.execute(
    f"""
    CREATE TEMP TABLE tokens AS
    SELECT row, length, position, b - a AS delta, exp(a) AS p, exp(b) AS q FROM (
        SELECT filename || file_row_number AS row, len({mask}) AS length, unnest(range(len({mask}))) AS position,
            unnest({mask}) AS mask, unnest({a}) AS a, unnest({b}) AS b
        FROM read_parquet($files, filename = true, file_row_number = true)
    ) WHERE mask = 1
    """,
    {"files": sys.argv[3:]},
)
rows = db.execute(
    """
    SELECT count(*)::DOUBLE, sum(abs(delta)), sum(exp(delta) - 1 - delta), sum(exp(delta)), sum(exp(2 * delta))
    FROM tokens GROUP BY row
    """
).fetchnumpy()
[[*moments, p99, p999, delta_max, diff_max]] = db.execute(
    """
    SELECT sum(p), sum(q), sum(p * p), sum(q * q), sum(p * q), quantile_disc(abs(delta), 0.99),
        quantile_disc(abs(delta), 0.999), max(abs(delta)), max(abs(q - p)) FROM tokens
    """
).fetchall()
deciles = db.execute(
    "SELECT position * 10 // length AS tenth, avg(abs(delta)) FROM tokens GROUP BY tenth ORDER BY tenth"
)
deciles = [mean for _, mean in deciles.fetchall()]
bins = " + ".join(f"(delta > {edge})::INT" for edge in screen.EDGES)
bins = f"SELECT {bins} AS bin, count(*) FROM tokens GROUP BY bin ORDER BY bin"
histogram = [count for _, count in db.execute(bins).fetchall()]
screen.show(list(rows.values()), moments, [p99, p999, delta_max, diff_max], deciles, histogram, len(sys.argv) - 3)
