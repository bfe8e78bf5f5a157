import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Compiled, compile } from "../../../../analyses/parallel/compile.test-data.ts";
import { startThread } from "../../../../analyses/parallel/thread.ts";
import { buildReport } from "../../../../analyses/report/build-report.ts";
import { RunSummary } from "../../../../analyses/report/run-summary.ts";
import { sourceSummaries } from "../../../../analyses/runs/read-batches.ts";
import type { RowSums } from "../../../../core/kernels/token-block.ts";
import { openRun } from "../../../../ingest/open-run.ts";
import type { Diagnosis } from "../../../../results/diagnosis.ts";
import { DEMO_TOKENIZER, type Workspace, workspace } from "../made-run.test-data.ts";
import type { Answering, AnswerOptions } from "./answer-builder.ts";
import { type AnswerWorkers, startAnswers } from "./answer-thread.ts";
import { PASS_FILES } from "./run-pass.ts";
import { tokenSums } from "./top-tokens.ts";

const LARGE = 2 ** 30;
/** Tokens to examine, of 240. */
const FEW = 60;

let compiled: Compiled;
let work: Workspace;
let workers: AnswerWorkers;
beforeAll(async () => {
  work = await workspace();
  compiled = await compile(["core", "results", "trainers", "analyses", "input", "apps/viewer/prepare"]);
  const url = compiled.findWorker("apps/viewer/prepare/pass/answer-worker");
  workers = { url, start: startThread };
}, 60_000);
afterAll(async () => {
  compiled.remove();
  await work.remove();
});

async function makeOptions(name: string): Promise<AnswerOptions> {
  const directory = work.path(name);
  await mkdir(directory);
  return { directory, tokenizer: DEMO_TOKENIZER, redact: undefined, oneSided: false, truthSource: undefined };
}

/** Several batches, a file each, for the order to matter. */
async function writeRun(): Promise<string> {
  for (const step of [1, 2, 3, 4]) {
    const rows = Array.from({ length: 12 }, (_, row) => {
      const logprobs = Array.from({ length: 5 }, (_, t) => -0.1037 * (1 + ((row + 3 * t + step) % 7)));
      return {
        uid: `q${row % 5}`,
        reward: row % 2,
        response_ids: logprobs.map((_, t) => (7 * row + t) % 60),
        response_mask: [1, 1, 0, 1, 1],
        rollout_log_probs: logprobs,
        old_log_probs: logprobs.map((value, t) => value * (1 + 0.1013 * ((row + t * step) % 4))),
      };
    });
    await work.run(`run/step_${step}.jsonl`, rows);
  }
  return work.path("run");
}

/** All that comes of the run, answers and files. */
async function answerRun(path: string, options: AnswerOptions, answers: Answering) {
  const run = await openRun([path]);
  let rows: RowSums | undefined;
  const summary = new RunSummary({
    onRows: (sums) => {
      rows = sums;
    },
  });
  for await (const batch of run.batches()) {
    summary.add(batch);
    await answers.add(batch, rows!);
  }
  await answers.flush();
  const read = { name: run.name, sources: sourceSummaries(run), findings: run.findings.list() };
  const doctorOfFew = answers.diagnose(read, FEW);
  const doctor = answers.diagnose(read);
  const { per_step } = buildReport({ run: run.name, paths: [path], summary, parity: [], ...read });
  const built = await answers.finish({ read, perStep: per_step, sums: tokenSums(summary) });
  const found = { doctorOfFew: await doctorOfFew, doctor: await doctor, built };
  await answers.close();
  const names = (await readdir(options.directory)).sort();
  const files = await Promise.all(names.map((name) => readFile(`${options.directory}/${name}`, "base64")));
  return { ...found, names, files };
}

it("gives in a thread what it gives here", async () => {
  const [here, there] = [await makeOptions("here"), await makeOptions("there")];
  const path = await writeRun();
  const expected = await answerRun(path, here, await startAnswers(here, 0, workers));
  const answers = await startAnswers(there, LARGE, workers);
  expect(answers.constructor.name).toBe("AnswerThread");
  const found = await answerRun(path, there, answers);
  expect(found.built.facts.sequences).toBe(48);
  expect(found.names).toEqual(Object.values(PASS_FILES).sort());
  expect(found.files).toEqual(expected.files);
  expect(found.doctor).toEqual(expected.doctor);
  expect(found.doctorOfFew).toEqual(expected.doctorOfFew);
  const sampled = ({ metrics }: Diagnosis): number => metrics.sampled_tokens!;
  expect(sampled(found.doctorOfFew)).toBeLessThanOrEqual(FEW);
  expect(sampled(found.doctor)).toBeGreaterThan(FEW);
  const plain = (parts: typeof found) =>
    parts.built.files.map(([name, content]) => [name, Buffer.from(content as string).toString("base64")]);
  expect(plain(found)).toEqual(plain(expected));
  expect(found.built.facts).toEqual(expected.built.facts);
  expect(found.built.seals).toEqual(expected.built.seals);
  expect(found.built.hasTexts).toBe(true);
});

it("starts no thread for little, nor where none can run", async () => {
  const small = await startAnswers(await makeOptions("small"), 1000, workers);
  expect(small.constructor.name).toBe("AnswerBuilder");
  await small.close();
  const plain = await startAnswers(await makeOptions("plain"), LARGE, { ...workers, url: undefined });
  expect(plain.constructor.name).toBe("AnswerBuilder");
  await plain.close();
});

it("tells what the system said in the thread, and ends it", async () => {
  const options = await makeOptions("taken");
  await writeFile(`${options.directory}/${PASS_FILES.briefs}`, "mine");
  const answers = await startAnswers(options, LARGE, workers);
  await expect(answers.flush()).rejects.toMatchObject({
    code: "EEXIST",
    syscall: "open",
    path: `${options.directory}/${PASS_FILES.briefs}`,
  });
  await expect(answers.diagnose({ name: "x", sources: [], findings: [] })).rejects.toThrow("EEXIST");
  await answers.close();
});

it("has asked for the diagnosis when the caller goes on", async () => {
  const asked: string[] = [];
  const start: AnswerWorkers["start"] = () => ({
    ask: (task) => {
      asked.push(task.kind);
      return Promise.resolve(null);
    },
    close: () => Promise.resolve(),
  });
  const options = await makeOptions("asked");
  const answers = await startAnswers(options, LARGE, { url: new URL("file:///unused"), start });
  const doctor = answers.diagnose({ name: "x", sources: [], findings: [] });
  expect(asked).toEqual(["start", "diagnose"]);
  await doctor;
  await answers.close();
});
