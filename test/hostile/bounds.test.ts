import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { peakBytes, runLimited } from "../support/limited-run.ts";
import { SMALL_LIMIT } from "./hostile-file.ts";
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
  test.each(files.filter(({ long }) => long !== true || process.env.LOGRATIO_LONG !== undefined))(
    "$name",
    async ({ name, make, memory = SMALL_LIMIT, expect: { exit, says } }) => {
      const path = join(folder, name);
      await writeFile(path, await make());
      const run = await runLimited(folder, ["report", name, "--memory", String(memory)]);
      await rm(path);
      expect(run.timedOut).toBe(false);
      expect(run.err).not.toMatch(/\n\s+at .*:\d+:\d+|RangeError|TypeError/);
      expect(run.out + run.err).toMatch(says);
      expect(run.status).toBe(exit);
      expect(run.peakBytes).toBeLessThan(peakBytes(memory));
    },
    120_000,
  );
});
