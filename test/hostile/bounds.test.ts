import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PEAK_BYTES, runLimited } from "../support/limited-run.ts";
import { HOSTILE_JSON } from "./json.ts";
import { HOSTILE_NPZ } from "./npz.ts";
import { HOSTILE_SAFETENSORS } from "./safetensors.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logratio-hostile-"));
});
afterAll(() => rm(folder, { recursive: true }));

describe.each([
  ["JSON", HOSTILE_JSON],
  ["npz", HOSTILE_NPZ],
  ["safetensors", HOSTILE_SAFETENSORS],
] as const)("hostile %s", (_, files) => {
  test.each(files)(
    "$name",
    async ({ name, make, expect: { exit, says } }) => {
      const path = join(folder, name);
      await writeFile(path, await make());
      const run = await runLimited(folder, ["report", name]);
      await rm(path);
      expect(run.timedOut).toBe(false);
      expect(run.err).not.toMatch(/\n\s+at .*:\d+:\d+|RangeError|TypeError/);
      expect(run.out + run.err).toMatch(says);
      expect(run.status).toBe(exit);
      expect(run.peakBytes).toBeLessThan(PEAK_BYTES);
    },
    120_000,
  );
});
