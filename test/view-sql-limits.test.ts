/** A query on the page that takes all it can get ends alone, and the viewer continues. */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { RunningView } from "../bench/support/view-server.mjs";
import { DEMO, type Workplace, workplace } from "./support/built-view.ts";
import { requireBuild } from "./support/run-cli.ts";

let place: Workplace;
let server: RunningView;
beforeAll(async () => {
  requireBuild();
  place = await workplace();
  server = await place.serve(DEMO);
}, 60_000);
afterAll(() => place.leave());

const ask = (sql: string, signal: AbortSignal | null = null): Promise<Response> =>
  fetch(`${server.url}api/sql`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ sql }),
    signal,
  });
const count = async (): Promise<unknown> => (await ask("SELECT count(*) FROM sequences")).json();
const COUNTED = { rows: [[768]] };

it("stops a query whose values take more memory than DuckDB counts", async () => {
  const refused = await ask("SELECT repeat('x', 100000000) FROM range(1000)");
  expect(refused.status).toBe(413);
  expect(await refused.text()).toMatch(/^the query (was stopped: it takes|needed) more/);
  expect(await count()).toMatchObject(COUNTED);
}, 60_000);

it("stops a step that DuckDB cannot interrupt when nobody waits for it any more", async () => {
  // One call after another, for minutes.
  const slow = "SELECT levenshtein(repeat('ab', 20000), repeat('ba', 20000 + range)) FROM range(1000)";
  const gone = new AbortController();
  const asked = ask(slow, gone.signal);
  setTimeout(() => gone.abort(), 1000);
  await expect(asked).rejects.toThrow();
  expect(await count()).toMatchObject(COUNTED);
}, 60_000);
