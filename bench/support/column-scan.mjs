/** A query that decodes every column of a Parquet file and keeps only lengths of lists and numbers of values. */
export async function columnScan(path, connection) {
  const from = `read_parquet('${path.replaceAll("'", "''")}')`;
  const columns = (await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${from}`)).getRows();
  const sums = columns.map(([name, type]) =>
    type.endsWith("[]") ? `sum(len("${name}"))` : `count("${name}")`,
  );
  return `SELECT ${sums.join(", ")} FROM ${from}`;
}
