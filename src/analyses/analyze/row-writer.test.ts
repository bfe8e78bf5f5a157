import { describe, expect, it } from "vitest";
import { openDatabase } from "./database.ts";
import { createRowWriter } from "./row-writer.ts";

async function writeTable(records: readonly Record<string, unknown>[]) {
  const database = await openDatabase();
  try {
    const writer = await createRowWriter(database, { table: "made" });
    for (const [i, record] of records.entries()) await writer.add(record, "f", i + 1);
    await writer.finish();
    const columns = await database.rows<{ name: string; type: string }>(
      "SELECT column_name AS name, data_type AS type FROM duckdb_columns() WHERE table_name = 'made' ORDER BY column_index",
    );
    const rows = await database.rows("SELECT * EXCLUDE (log_file) FROM made ORDER BY log_line");
    return { columns: Object.fromEntries(columns.map(({ name, type }) => [name, type])), rows };
  } finally {
    await database.close();
  }
}

describe("createRowWriter", () => {
  it("widens columns as values ask for it, and keeps what is there", async () => {
    const many = Array.from({ length: 3000 }, (_, i) => ({ n: i, b: true }));
    const { columns, rows } = await writeTable([
      ...many,
      { n: 0.5, b: "x", late: 1 },
      { late: null, never: null },
    ]);
    expect(columns).toEqual({
      log_file: "VARCHAR",
      log_line: "BIGINT",
      n: "DOUBLE",
      b: "VARCHAR",
      late: "BIGINT",
      never: "VARCHAR",
    });
    expect(rows[2999]).toEqual({ log_line: 3000, n: 2999, b: "true", late: null, never: null });
    expect(rows[3000]).toEqual({ log_line: 3001, n: 0.5, b: "x", late: 1, never: null });
    expect(rows[3001]).toEqual({ log_line: 3002, n: null, b: null, late: null, never: null });
  });

  it("keeps lists as JSON, infinities, zero bytes, and names that differ in case or are its own", async () => {
    const { columns, rows } = await writeTable([
      { ids: [1, { a: 2 }], x: Number.NEGATIVE_INFINITY, text: "a\0b数", A: 1, a: 2, log_line: 9 },
    ]);
    expect(Object.keys(columns)).toEqual(
      expect.arrayContaining(["ids", "x", "text", "A", "a_2", "log_line_2"]),
    );
    expect(rows[0]).toMatchObject({
      ids: '[1,{"a":2}]',
      x: Number.NEGATIVE_INFINITY,
      text: "a\0b数",
      A: 1,
      a_2: 2,
      log_line_2: 9,
      log_line: 1,
    });
  });

  it("gives keys a name that SQL would not take", async () => {
    const { columns, rows } = await writeTable([{ "": 1, unnamed: 2, "a\0b": 3 }]);
    expect(Object.keys(columns)).toEqual(expect.arrayContaining(["unnamed", "unnamed_2", "a\ufffdb"]));
    expect(rows[0]).toMatchObject({ unnamed: 1, unnamed_2: 2, "a\ufffdb": 3 });
  });
});
