/** The viewer answers everyone else while it does something long for one of them. */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningView } from "../bench/support/view-server.mjs";
import { DEMO, type Workplace, workplace } from "./support/built-view.ts";
import { requireBuild } from "./support/run-cli.ts";

const ROWS = 10_000;
const COLUMNS = 200;

describe("a large table that is written", () => {
  let place: Workplace;
  let server: RunningView;
  beforeAll(async () => {
    requireBuild();
    place = await workplace();
    server = await place.serve(DEMO);
  }, 60_000);
  afterAll(() => place.leave());

  it("keeps nobody else waiting", async () => {
    const row = Object.fromEntries(
      Array.from({ length: COLUMNS }, (_, i) => [`column ${i}`, i % 7 ? i / 3 : `t${i}`]),
    );
    const body = JSON.stringify(Array.from({ length: ROWS }, () => row));
    let isDone = false;
    const table = fetch(new URL("api/parquet", server.url), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    }).then(async (response) => {
      const bytes = new Uint8Array(await response.arrayBuffer());
      isDone = true;
      return { status: response.status, bytes };
    });
    let answers = 0;
    const runs = new Set<string>();
    while (!isDone) {
      const run = await fetch(new URL("api/run", server.url));
      expect(run.status).toBe(200);
      runs.add(
        createHash("sha256")
          .update(await run.text())
          .digest("hex"),
      );
      if (!isDone) answers++;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const { status, bytes } = await table;
    expect(status).toBe(200);
    expect(Buffer.from(bytes.subarray(0, 4)).toString()).toBe("PAR1");
    expect(runs.size).toBe(1);
    // On one thread, at most one response arrives while the table is written: the one requested before it began.
    expect(answers).toBeGreaterThan(3);
  }, 60_000);

  it("says what is wrong with rows as it did on its own thread", async () => {
    const post = (body: string): Promise<Response> =>
      fetch(new URL("api/parquet", server.url), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      });
    const wide = JSON.stringify([Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`c${i}`, 1]))]);
    for (const [body, code, words] of [
      ["{", 400, "not JSON"],
      ["[]", 400, "no rows"],
      [wide, 413, "more than 512 columns"],
    ] as const) {
      const answer = await post(body);
      expect([answer.status, await answer.text()]).toEqual([code, expect.stringContaining(words)]);
    }
  });
});
