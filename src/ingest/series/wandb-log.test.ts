import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FindingLog } from "../../core/schema/findings.ts";
import { findSeriesFiles } from "./find.ts";
import type { LogDamage } from "./frames.ts";
import { readSeriesFile } from "./read.ts";
import { readWandbLog, type WandbRecord } from "./wandb-log.ts";

const FILE = "test/fixtures/wandb/run.wandb";
const BYTES = readFileSync(FILE);
const STEPS = Array.from({ length: 24 }, (_, i) => 10 * i);
const BLOCK = 32_768;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logratio-wandb-"));
});
afterAll(async () => rm(folder, { recursive: true, force: true }));

async function read(
  bytes: Uint8Array,
  size = bytes.length,
): Promise<{ steps: number[]; damage: LogDamage[] }> {
  const damage: LogDamage[] = [];
  const records: WandbRecord[] = [];
  async function* cut(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  for await (const record of readWandbLog({ bytes: cut() }, (each) => damage.push(each)))
    records.push(record);
  const steps = records.flatMap((each) =>
    each.kind === "history" ? [Number(new Map(each.values).get("_step"))] : [],
  );
  return { steps, damage };
}

describe("W&B's own log of an offline run", () => {
  it("has every step: texts left out, inner names behind a dot, NaN and infinities as logged", async () => {
    const findings = new FindingLog();
    const file = await readSeriesFile(FILE, findings);
    expect(file!.form).toBe("W&B's log of a run");
    expect(findings.list()).toEqual([]);
    // wandb orders what a step logs as it likes.
    const series = [...file!.series].sort((a, b) => a.metric.localeCompare(b.metric));
    expect(series.map(({ run, metric }) => [run, metric])).toEqual([
      ["arm one", "big"],
      ["arm one", "reward.mean"],
      ["arm one", "training/rollout_probs_diff_mean"],
    ]);
    const [big, reward, mean] = series;
    expect(mean!.steps).toEqual(STEPS);
    expect(mean!.values).toEqual(STEPS.map((_, i) => (i === 20 ? Number.NaN : 2 ** -9 * (1 + i))));
    expect(reward!.values).toEqual(STEPS.map((_, i) => i / 4));
    expect(big!.values).toEqual(STEPS.map(() => Infinity));
  });

  it("is the same in pieces of any size", async () => {
    for (const size of [1, 7, 1000, BLOCK])
      expect(await read(BYTES, size)).toEqual({ steps: STEPS, damage: [] });
  });

  it("that is cut off anywhere keeps the steps before, and says so unless a record ends there", async () => {
    const wrong: unknown[] = [];
    for (let end = 8; end < BYTES.length; end += 61) {
      const { steps, damage } = await read(BYTES.subarray(0, end));
      const isBeginning = steps.every((step, i) => step === STEPS[i]);
      if (!isBeginning || damage.some(({ ends }) => !ends)) wrong.push([end, steps, damage]);
    }
    expect(wrong).toEqual([]);
    expect((await read(BYTES.subarray(0, 20_000))).damage.map(({ message }) => message)).toEqual([
      "the last record is cut off",
    ]);
  });

  it("of which a byte is wrong loses the rest of that block, and says where", async () => {
    const bad = BYTES.slice();
    bad[5000] = bad[5000]! ^ 1;
    const { steps, damage } = await read(bad);
    expect(damage.map(({ message, ends }) => [message, ends])).toEqual([
      ["a record has a wrong checksum", false],
    ]);
    expect(damage[0]!.offset).toBeLessThan(5000);
    const first = steps.findIndex((step, i) => step !== STEPS[i]);
    expect(first).toBeGreaterThan(0);
    expect(steps.slice(first)).toEqual(STEPS.slice(STEPS.indexOf(steps[first]!)));
  });

  it("stands for the run's folder: its summary is in it, and latest-run is a link to it", async () => {
    const run = join(folder, "wandb", "offline-run-20261201_000000-fixture1");
    await mkdir(join(run, "files"), { recursive: true });
    await writeFile(join(run, "run-fixture1.wandb"), BYTES);
    await writeFile(
      join(run, "files", "wandb-summary.json"),
      '{"_step": 230, "training/rollout_probs_diff_mean": 0.5}',
    );
    await symlink(run, join(folder, "wandb", "latest-run"));
    expect(await readdir(join(folder, "wandb"))).toHaveLength(2);
    const { files } = await findSeriesFiles([folder], new FindingLog());
    expect(files.map(({ form }) => form)).toEqual(["W&B's log of a run"]);
    await rm(join(run, "run-fixture1.wandb"));
    const alone = await findSeriesFiles([run], new FindingLog());
    expect(alone.files.map(({ form }) => form)).toEqual(["W&B summary"]);
  });
});
