/**
 * Runs every hostile file through the built command line, alone and together with a good one, and checks its message,
 * its exit status and its cost.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type MeasuredRun, runMeasured } from "../support/measured-cli.ts";
import { requireBuild } from "../support/run-cli.ts";
import { sample } from "../support/run-size.ts";
import type { HostileFile } from "./hostile-file.ts";
import { HOSTILE_PARQUET } from "./parquet.ts";
import { HOSTILE_PICKLES } from "./pickles.ts";
import { HOSTILE_TORCH } from "./torch.ts";

/** Memory beyond what the same command takes for the good file alone. */
const MOST_BYTES = 2 ** 30;
/** A run that hangs is killed. The limit is generous, because the machine may be busy; no other time is asserted. */
const KILL_MS = 90_000;

const FILES: readonly HostileFile[] = [...HOSTILE_TORCH, ...HOSTILE_PICKLES, ...HOSTILE_PARQUET];
const GOOD = `${JSON.stringify({
  rollout_log_probs: [-1, -2, -3],
  old_log_probs: [-1.1, -2.2, -3.3],
  response_mask: [1, 1, 0],
})}\n`.repeat(40);

let folder = "";
let good: MeasuredRun;

async function measureGood(): Promise<MeasuredRun> {
  const run = await runMeasured(folder, ["report", "good.jsonl", "--json"], KILL_MS);
  expect(run.status, run.err).toBe(0);
  return run;
}

beforeAll(async () => {
  requireBuild();
  folder = await mkdtemp(join(tmpdir(), "logratio-hostile-"));
  await mkdir(join(folder, "bad"));
  await writeFile(join(folder, "good.jsonl"), GOOD);
  good = await measureGood();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function expectWithin({ status, err, peakBytes }: MeasuredRun): void {
  expect(status, `it was killed or crashed: ${err.slice(-500)}`).not.toBeNull();
  expect(peakBytes - good.peakBytes, "bytes over the good file").toBeLessThan(MOST_BYTES);
  expect(err, "an error that nobody foresaw").not.toMatch(/bug:|this is a mistake in logratio/);
}

describe("hostile files", { timeout: 3 * KILL_MS }, () => {
  it.each(sample(FILES, 4).map((file) => [file.name, file] as const))(
    "%s",
    async (name, { make, expect: wanted }) => {
      const path = join("bad", name);
      await writeFile(join(folder, path), await make());
      const alone = await runMeasured(folder, ["report", path], KILL_MS);
      if (process.env.HOSTILE_FIGURES) {
        const mebibytes = Math.round((alone.peakBytes - good.peakBytes) / 2 ** 20);
        console.log(
          `${name}: exit ${alone.status}, ${alone.cpuSeconds} s, ${mebibytes} MiB\n${alone.err.slice(0, 700)}`,
        );
      }
      expectWithin(alone);
      expect({ status: alone.status, text: alone.out + alone.err }).toEqual({
        status: wanted.exit,
        text: expect.stringMatching(wanted.says),
      });

      const beside = await runMeasured(folder, ["report", "good.jsonl", path, "--json"], KILL_MS);
      await rm(join(folder, path));
      expectWithin(beside);
      expect(beside.status, beside.err).toBe(wanted.exit === 0 ? 0 : 4);
      const [alike, both] = [JSON.parse(good.out), JSON.parse(beside.out)];
      if (wanted.exit !== 0) expect(both.metrics).toEqual(alike.metrics);
    },
  );
});
