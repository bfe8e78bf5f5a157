// Prints the rows of records as JSON, one record a line, by the built library: a test that imports the sources for this
// waits ten times as long for them.
import { openRun } from "../../../dist/ingest/index.js";

for (const folder of process.argv.slice(2)) {
  const rows = [];
  const opened = await openRun([folder]);
  for await (const batch of opened.batches())
    for (const [i, id] of batch.sampleIds.entries()) {
      const [from, to] = [batch.offsets[i], batch.offsets[i + 1]];
      const values = (column) => [...column.subarray(from, to)];
      rows.push([id, values(batch.rolloutLogprobs), values(batch.trainerLogprobs)]);
    }
  console.log(JSON.stringify(rows.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))));
}
