import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { normal, seededRandom } from "../../../../test/support/calibration/claim.ts";
import { diagnoseRun } from "../../../analyses/runs/diagnose-run.ts";
import { reportRun } from "../../../analyses/runs/report-run.ts";
import { isLogratioError, type LogratioError } from "../../../core/base/errors.ts";
import type { RecordBatch, Sides } from "../../../core/schema/record.ts";
import { openRun } from "../../../ingest/open-run.ts";
import { writeRecord } from "../../../ingest/writing/write-record.ts";
import type { DoctorReport } from "../../../results/doctor.ts";
import { EXIT } from "../exit-status.ts";
import { captured, DEMO } from "./captured.test-data.ts";
import { type DoctorOptions, doctor } from "./doctor.ts";

const STALE = join(DEMO, "stale");
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logratio-doctor-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = (paths: readonly string[], options: DoctorOptions = {}, interactive = false) =>
  captured((terminal) => doctor(paths, options, { ...terminal, interactive }));

async function refused(paths: readonly string[], options: DoctorOptions = {}): Promise<LogratioError> {
  const error: unknown = await run(paths, options).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!isLogratioError(error)) throw new Error(`not refused: ${String(error)}`);
  return error;
}

async function write(name: string, ...rows: object[]): Promise<string> {
  const file = join(folder, name);
  const lines = rows.map((row) =>
    JSON.stringify(row, (_, value: unknown) => (Number.isNaN(value) ? null : value)),
  );
  await writeFile(file, `${lines.join("\n")}\n`);
  return file;
}

describe("logratio doctor", () => {
  it("prints what diagnoseRun returns, and ends well whatever the answer", async () => {
    const { status, out } = await run([STALE], { json: true, steps: "10..30" });
    expect(status).toBe(EXIT.fine);
    const report = JSON.parse(out) as DoctorReport;
    const same = await diagnoseRun([STALE], { steps: "10..30" });
    expect(report).toEqual(JSON.parse(JSON.stringify(same)));
    expect(report.causes.reduce((sum, { probability }) => sum + probability, 0)).toBeLessThanOrEqual(
      1 + 1e-9,
    );
    expect(report.metrics.sequences).toBe(192);
    expect(report.sources.map(({ sequences }) => sequences).reduce((a, b) => a + b)).toBe(192);
  });

  it("shows the first screen on a terminal, all of it in a pipe or when asked, and says how", async () => {
    const screen = await run([STALE], { for: "slime" }, true);
    const piped = await run([STALE]);
    const full = await run([STALE], { full: true }, true);
    expect(screen.out).toContain(`logratio doctor ${STALE} --for slime --full`);
    expect(screen.out).not.toContain("Not tested: a column is missing");
    expect(screen.out.split("\n").length).toBeLessThan(26);
    for (const { out } of [piped, full]) expect(out).toContain("Not tested: a column is missing");
    expect(full.out).not.toContain("--full");
  });

  it("looks at what a filter leaves", async () => {
    const { out } = await run([STALE], { json: true, filter: "correct:no" });
    const all = await run([STALE], { json: true });
    const [some, whole] = [JSON.parse(out), JSON.parse(all.out)] as DoctorReport[];
    expect(some!.metrics.sequences!).toBeGreaterThan(0);
    expect(some!.metrics.sequences!).toBeLessThan(whole!.metrics.sequences!);
    expect(some!.findings.map(({ message }) => message).join()).toContain("--filter");
  });

  it("writes the page, and over its own page again", async () => {
    const html = join(folder, "doctor.html");
    for (let time = 0; time < 2; time++) {
      const { err, status } = await run([STALE], { html });
      expect([status, err]).toEqual([EXIT.fine, expect.stringContaining("doctor.html")]);
    }
    const page = await readFile(html, "utf8");
    expect(page).toContain('content="logratio doctor"');
    const foreign = join(folder, "foreign.html");
    await writeFile(foreign, "<!doctype html><p>mine</p>");
    expect((await refused([STALE], { html: foreign }))._tag).toBe("UsageError");
    expect(await readFile(foreign, "utf8")).toContain("mine");
  });

  it("prints Markdown with the command that repeats it", async () => {
    const { out } = await run([STALE], { markdown: true });
    expect(out).toContain("### Diagnosis of `stale`");
    expect(out).toContain(`logratio doctor ${STALE}`);
  });

  it("explains how files were read", async () => {
    const { err } = await run([STALE], { explain: true, json: true });
    expect(err).toContain("rollout log-probs: rollout_log_probs");
  });
});

describe("digests of weights in a record", () => {
  const digest = (step: number): string =>
    `logratio-weights-1:bfloat16:9:${"0".repeat(16)}:${hex(step)}:${hex(step)}`;
  const hex = (value: number): string => value.toString(16).padStart(16, "0");

  /** The old weights of the demo as a record in which each side states its weights at each step. */
  async function stating(
    name: string,
    sides: (step: number, before: number | undefined) => Sides,
  ): Promise<string> {
    const { batches } = await openRun([STALE]);
    const file = join(folder, name);
    async function* stated(): AsyncGenerator<RecordBatch> {
      let before: number | undefined;
      for await (const batch of batches()) {
        yield { ...batch, sides: sides(batch.steps[0]!, before) };
        before = batch.steps[0]!;
      }
    }
    await writeRecord(file, stated());
    return file;
  }
  const diagnose = async (file: string): Promise<DoctorReport> =>
    JSON.parse((await run([file], { json: true })).out) as DoctorReport;
  const probability = ({ causes }: DoctorReport, id: string): number =>
    causes.find((cause) => cause.id === id)?.probability ?? 0;

  it("name old weights and by how many steps, where log-probs alone leave them open", async () => {
    const old = await stating("old.parquet", (step, before = 0) => ({
      rollout: { weights: digest(before) },
      trainer: { weights: digest(step) },
    }));
    const report = await diagnose(old);
    expect(report.weights).toMatchObject({
      sequences: 768,
      different: 768,
      first_different_step: 10,
      lag: 10,
    });
    expect(probability(report, "stale_weights")).toBeGreaterThan(0.95);
    const open = await diagnose(STALE);
    expect(open.weights).toBeNull();
    expect(probability(open, "stale_weights")).toBeLessThan(0.5);
  });

  it("rule other weights out where they are equal", async () => {
    const equal = await diagnose(
      await stating("equal.parquet", (step) => ({
        rollout: { weights: digest(step) },
        trainer: { weights: digest(step) },
      })),
    );
    expect(equal.weights).toMatchObject({ sequences: 768, equal: 768, lag: null, updates: 11 });
    for (const id of ["stale_weights", "wrong_checkpoint", "lora_not_merged", "trainer_ahead_one_update"])
      expect(probability(equal, id)).toBeLessThan(0.01);
    expect(equal.untested.map(({ column }) => column)).not.toContain("rollout_weights");
  });
});

it("is what the report leads to where the verdict is worse than normal", async () => {
  const { verdict, next } = await reportRun(STALE);
  expect(["elevated", "high", "broken"]).toContain(verdict.level);
  expect(next.command).toBe(`logratio doctor ${STALE}`);
});

it("is not what the report of a sound run leads to", async () => {
  const draw = (row: number, t: number): number =>
    -0.0213 - 2.0037 * ((row * 37 + t * 11) % 17 === 0 ? 1 : 0.1731);
  const random = seededRandom("a sound engine");
  const rows = (noise: number): object[] =>
    Array.from({ length: 32 }, (_, row) => {
      const rollout = Array.from({ length: 40 }, (_, t) => draw(row, t));
      return {
        response_ids: rollout.map((_, t) => t),
        response_mask: rollout.map(() => 1),
        rollout_log_probs: rollout,
        // As noise on logits moves the log-prob of a sampled token.
        old_log_probs: rollout.map((value) => value + noise * (1 - Math.exp(value)) * normal(random)),
      };
    });
  const sound = await reportRun(await write("sound.jsonl", ...rows(0.03)));
  expect(sound.verdict.level).toBe("normal");
  expect(sound.next.command).not.toContain("logratio doctor");
  const faulty = await reportRun(await write("faulty.jsonl", ...rows(3)));
  expect(faulty.next.command).toContain("logratio doctor");
});

describe("what cannot be diagnosed", () => {
  const ids = { response_ids: [1, 2, 3], response_mask: [1, 1, 1] };

  it("is refused with what to do: nothing, one policy, no token", async () => {
    const missing = await refused([join(folder, "not-there")]);
    expect(missing._tag).toBe("NotFoundError");
    const one = await write("one.jsonl", { ...ids, rollout_log_probs: [-1, -2, -3] });
    const side = await refused([one]);
    expect([side._tag, side.hint]).toEqual(["MissingSideError", expect.stringContaining("--trainer COLUMN")]);
    const none = { ...ids, rollout_log_probs: [-1, -2, -3], old_log_probs: [-1, -2, -3] };
    const masked = await refused([await write("masked.jsonl", { ...none, response_mask: [0, 0, 0] })]);
    expect([masked._tag, masked.hint]).toEqual(["EmptyInputError", expect.stringContaining("--mask COLUMN")]);
    const empty = await refused([await mkdtemp(join(folder, "empty-"))]);
    expect([empty._tag, empty.likely]).toEqual(["EmptyInputError", "the folder is empty"]);
  });

  it("says which flags contradict each other, and which trainers there are", async () => {
    expect((await refused([STALE], { json: true, markdown: true })).message).toContain("cannot be combined");
    const unknown = await refused([STALE], { for: "nobody" });
    expect([unknown._tag, unknown.message]).toEqual(["UsageError", '--for: unknown trainer "nobody"']);
    expect(unknown.hint).toContain("verl, verl-dppo, xtuner");
  });

  it("names a column of NaN alone as the fault that it is", async () => {
    const rows = Array.from({ length: 40 }, (_, row) => ({
      response_ids: [row, row + 1, row + 2, row + 3],
      response_mask: [1, 1, 1, 1],
      rollout_log_probs: [Number.NaN, Number.NaN, Number.NaN, Number.NaN],
      old_log_probs: [-1 - row, -2, -0.1 * row, -1],
    }));
    const { status, out } = await run([await write("nan.jsonl", ...rows)], { json: true });
    const { verdict, causes } = JSON.parse(out) as DoctorReport;
    expect([status, verdict, causes[0]?.id]).toEqual([EXIT.fine, "fault", "nan_logprobs"]);
  });

  it("answers three tokens, without a cause", async () => {
    const three = { ...ids, rollout_log_probs: [-1, -2, -3], old_log_probs: [-1.1, -2, -3] };
    const { status, out } = await run([await write("three.jsonl", three)], { json: true });
    const { verdict, guilty_leg } = JSON.parse(out) as DoctorReport;
    expect([status, verdict, guilty_leg]).toEqual([EXIT.fine, "too_few", null]);
  });
});
