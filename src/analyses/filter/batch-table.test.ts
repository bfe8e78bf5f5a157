import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { prepareRun } from "../../apps/viewer/prepare/cache/prepare-run.ts";
import { type Workspace, workspace } from "../../apps/viewer/prepare/made-run.test-data.ts";
import { openRun } from "../../ingest/open-run.ts";
import { SEQUENCE_COLUMNS, SEQUENCE_TEXTS } from "../../results/metrics/sequence-columns.ts";
import { decodeTable } from "../../results/wire/table.ts";
import { batchTable } from "./batch-table.ts";

const DEMO = fileURLToPath(new URL("../../../examples/demo/stale", import.meta.url));

let work: Workspace;
beforeAll(async () => {
  work = await workspace();
});
afterAll(() => work.remove());

it("has the figures of the viewer's table", async () => {
  const prepared = await prepareRun([DEMO], { cache: work.path("cache") });
  const table = decodeTable(await prepared.answer("sequences"));
  await prepared.close();
  let row = 0;
  for await (const batch of (await openRun([DEMO], {})).batches()) {
    const own = batchTable(batch);
    for (let at = 0; at < batch.length; at++, row++) {
      for (const name of SEQUENCE_COLUMNS)
        expect(own.columns[name][at], `${name} of ${row}`).toBe(table.columns[name][row]);
      for (const name of SEQUENCE_TEXTS) {
        const [a, b] = [own.texts[name], table.texts[name]];
        expect(a.values[a.codes[at]!]).toBe(b.values[b.codes[row]!]);
      }
    }
  }
  expect(row).toBe(table.length);
});
