/**
 * The exporters as a user has them: the lines come from the message that `logratio` prints, they are run in the
 * trainer's own code, and what was written is read by `logratio`; the figures are numpy's, from the trainer's tensors.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readAll } from "../../src/input/adapters/read.test-data.ts";
import { lacksPython, PYTHON, PYTHON_ENV } from "../support/python.ts";
import { ROOT, requireBuild, runCli } from "../support/run-cli.ts";

const HERE = join(ROOT, "test/exporters");
const scratch = mkdtempSync(join(tmpdir(), "logratio-exporters-"));
beforeAll(requireBuild);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** A directory of its own for each run. */
function freshFolder(name: string): string {
  const folder = join(scratch, name);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** The indented lines of the message about a dump that lacks a side. */
function readPrintedLines(fixture: string): string[] {
  const { err, status } = runCli(ROOT, ["report", `test/fixtures/adapters/one-sided/${fixture}`]);
  expect(status).toBe(3);
  const lines = err.split("\n").map((line) => line.replace(/^ {10}/, ""));
  const code = lines.filter((line) => line.startsWith("    ")).map((line) => line.slice(4));
  expect(code, err).not.toEqual([]);
  return code;
}

interface Truth {
  readonly sequences: number;
  readonly tokens: number;
  readonly meanAbs: number;
  readonly maxAbs: number;
  readonly k3: number;
  readonly correct: number;
}

/** Runs shell lines that end in a Python script; gives what the script says is true. */
function runShell(cwd: string, script: string, env: Record<string, string> = {}): Truth & { log: string } {
  const run = spawnSync("bash", ["-ec", script], {
    cwd,
    encoding: "utf8",
    timeout: 500_000,
    env: { ...process.env, ...PYTHON_ENV, PYTHON, ...env },
  });
  const log = `${run.stdout}\n${run.stderr}`;
  const truth = /^TRUTH (.*)$/m.exec(log)?.[1];
  if (run.status !== 0 || truth === undefined) throw new Error(log.slice(-4000));
  return { ...JSON.parse(truth), log };
}

function expectFigures(cwd: string, truth: Truth): void {
  const { out, err, status } = runCli(cwd, ["report", "logratio", "--json"]);
  expect([status, err]).toEqual([0, ""]);
  const { metrics } = JSON.parse(out);
  expect([metrics.sequences, metrics.tokens]).toEqual([truth.sequences, truth.tokens]);
  expect(metrics.delta_abs_mean).toBeCloseTo(truth.meanAbs, 5);
  expect(metrics.delta_abs_max).toBeCloseTo(truth.maxAbs, 5);
  expect(metrics.k3).toBeCloseTo(truth.k3, 6);
}

const exporterPath = (name: string): string => join(ROOT, "exporters", name);

describe.skipIf(lacksPython(["trl", "transformers", "datasets"], "TRL's exporter"))("TRL", () => {
  const ways = [
    ["several", "three generations within a step", 11],
    ["aligned", "no log-probs of TRL's own", 3],
    ["outlives", "a generation for several steps", 2],
  ] as const;
  test.each(ways)(
    "%s: %s",
    async (way, _, files) => {
      const cwd = freshFolder(`trl-${way}`);
      const snippet = readPrintedLines("trl_completions_00005.parquet").join("\n");
      expect(snippet).toContain(join(ROOT, "exporters"));
      const truth = runShell(cwd, `"$PYTHON" "${HERE}/trl_run.py" "$SNIPPET" ${way}`, { SNIPPET: snippet });
      expect(readdirSync(join(cwd, "logratio"))).toHaveLength(files);
      expectFigures(cwd, truth);
      const { batches } = await readAll(join(cwd, "logratio"));
      expect(new Set(batches.map(({ provenance }) => provenance.trainer))).toEqual(new Set(["trl"]));
      const rows = batches.flatMap(({ groupIds, rewards, steps, ranks }) =>
        groupIds.map((group, i) => ({ group, reward: rewards[i]!, step: steps[i]!, rank: ranks[i]! })),
      );
      // Two generations a prompt: half as many groups as sequences.
      expect(new Set(rows.map(({ group }) => group)).size).toBe(truth.sequences / 2);
      expect(rows.reduce((sum, { reward }) => sum + reward, 0)).toBe(truth.correct);
      expect(rows.every(({ rank }) => rank === 0)).toBe(true);
      expect(batches.every(({ advantages }) => advantages?.length)).toBe(true);
      // Two words a prompt, of which left padding is none.
      expect(batches[0]!.promptOffsets![1]).toBe(2);
      // Tokens of the environment are not the policy's.
      expect(
        batches.flatMap(({ responseMask }) => [...responseMask]).filter((m) => m === 0).length,
      ).toBeGreaterThan(0);
    },
    600_000,
  );
});

describe.skipIf(lacksPython(["verl", "transfer_queue", "ray"], "verl's exporter"))("verl", () => {
  test.each([
    // Each fit draws ids of its own, also where a step is repeated.
    ["v0", 12],
    ["v1", 9],
  ] as const)(
    "%s",
    async (loop, prompts) => {
      const cwd = freshFolder(`verl-${loop}`);
      const lines = readPrintedLines("verl_rollout_5.jsonl");
      expect(lines.at(-1)).toMatch(/^python3 -m verl\.trainer\.main_ppo .*calculate_log_probs=True/);
      const script = [
        ...lines.slice(0, -1),
        `export PYTHONPATH="${HERE}:$PYTHONPATH"`,
        `"$PYTHON" "${HERE}/verl_${loop}.py"`,
      ];
      const truth = runShell(cwd, script.join("\n"));
      expect(readdirSync(join(cwd, "logratio")).sort()).toEqual([
        "step_000001.rank_0.call_0.pt",
        "step_000002.rank_0.call_0.pt",
        "step_000002.rank_0.call_1.pt",
        "step_000003.rank_0.call_0.pt",
      ]);
      expectFigures(cwd, truth);
      const { batches } = await readAll(join(cwd, "logratio"));
      const column = <T>(pick: (batch: (typeof batches)[number]) => ArrayLike<T>): T[] =>
        batches.flatMap((batch) => Array.from(pick(batch)));
      expect(column(({ correctness }) => correctness).filter((c) => c === 1)).toHaveLength(truth.correct);
      // The reward is 1 where the answer is right, on the last token.
      expect(column(({ rewards }) => rewards)).toEqual(column(({ correctness }) => correctness));
      expect(new Set(column(({ groupIds }) => groupIds)).size).toBe(prompts);
      expect(new Set(column(({ environments }) => environments))).toEqual(new Set(["gsm8k", "math"]));
      expect(new Set(column(({ steps }) => steps))).toEqual(new Set([1, 2, 3]));
      expect(batches[0]!.sampling).toEqual({ temperature: 0.7, topP: 1 });
      expect([...batches[0]!.promptTokenIds!.subarray(0, 6)]).toEqual([11, 12, 13, 11, 12, 13]);
      // In critic warm-up the actor is not updated, so step 1 is written without advantages.
      const advantages = await Promise.all(
        [1, 3].map(async (step) => {
          const path = join(cwd, `logratio/step_00000${step}.rank_0.call_0.pt`);
          return (await readAll(path)).batches[0]!.advantages?.length;
        }),
      );
      expect(advantages).toEqual([undefined, 21]);
    },
    600_000,
  );
});

describe.skipIf(lacksPython(["openrlhf", "torch"], "OpenRLHF's exporter"))("OpenRLHF", () => {
  test("its own experiences, behind the printed edit of its own file", async () => {
    const cwd = freshFolder("openrlhf");
    const find = `import importlib.util as u; print(u.find_spec("openrlhf").submodule_search_locations[0])`;
    const { stdout } = spawnSync(PYTHON, ["-c", find], { encoding: "utf8" });
    cpSync(join(stdout.trim(), "trainer"), join(cwd, "openrlhf/trainer"), { recursive: true });
    const lines = readPrintedLines("openrlhf.table.json");
    const script = [...lines, `"$PYTHON" "${HERE}/openrlhf_run.py" openrlhf/trainer/ppo_trainer.py`].join(
      "\n",
    );
    const truth = runShell(cwd, script, { PYTHONPATH: HERE });
    expectFigures(cwd, truth);
    const { batches } = await readAll(join(cwd, "logratio"));
    expect(batches[0]!.provenance.trainer).toBe("openrlhf");
    expect([...batches[0]!.steps]).toEqual([7, 7, 7, 7]);
    expect(batches[0]!.groupIds).toEqual(["7.0", "7.1", "7.0", "7.1"]);
    expect([...batches[0]!.rewards].reduce((a, b) => a + b, 0)).toBe(truth.correct);
    expect([...batches[0]!.promptTokenIds!.subarray(0, 3)]).toEqual([5, 6, 7]);
  }, 120_000);
});

describe.skipIf(lacksPython(["torch", "numpy"], "xtuner's exporter and the generic one"))(
  "torch alone",
  () => {
    test("xtuner: objects of its shape, behind the printed edit", async () => {
      const cwd = freshFolder("xtuner");
      mkdirSync(join(cwd, "xtuner/v1/rl/trainer"), { recursive: true });
      cpSync(join(HERE, "xtuner_worker.py"), join(cwd, "xtuner/v1/rl/trainer/worker.py"));
      const lines = readPrintedLines("xtuner_train_rollout_5.jsonl");
      const script = [...lines, `"$PYTHON" xtuner/v1/rl/trainer/worker.py`].join("\n");
      const truth = runShell(cwd, script, { PYTHONPATH: HERE });
      expect(readdirSync(join(cwd, "logratio"))).toEqual(["step_000004.rank_3.call_0.pt"]);
      expectFigures(cwd, truth);
      const { batches } = await readAll(join(cwd, "logratio"));
      expect(batches[0]!.provenance).toMatchObject({ trainer: "xtuner", alignment: "next-token" });
      expect([batches[0]!.steps[0], batches[0]!.ranks[0]]).toEqual([4, 3]);
    }, 120_000);

    test("any trainer: the record", async () => {
      const cwd = freshFolder("record");
      const snippet = readPrintedLines("areal.jsonl").join("\n");
      const truth = runShell(cwd, `"$PYTHON" "${HERE}/record_run.py" "$SNIPPET"`, { SNIPPET: snippet });
      expectFigures(cwd, truth);
      expect(readdirSync(join(cwd, "logratio")).sort()).toEqual([
        "step_000003.rank_1.call_0.jsonl",
        "step_000003.rank_1.call_1.jsonl",
      ]);
    }, 120_000);

    test.each([
      ["a folder that cannot be made", { LOGRATIO_DIR: "/dev/null/logratio" }, "NotADirectoryError"],
      ["a setting that is no number", { LOGRATIO_EVERY: "often" }, "ValueError"],
      ["columns that differ", { LOGRATIO_TEST_DROP: "1" }, "the columns differ in the number of sequences"],
    ])(
      "%s is said once, and training goes on",
      (_, env, reason) => {
        const cwd = freshFolder(`never-stops-${reason.length}`);
        const snippet = readPrintedLines("areal.jsonl").join("\n");
        const { log } = runShell(cwd, `"$PYTHON" "${HERE}/record_run.py" "$SNIPPET"`, {
          SNIPPET: snippet,
          ...env,
        });
        expect(log.match(/nothing was recorded, training goes on: /g)).toHaveLength(1);
        expect(log).toContain(reason);
        expect(existsSync(join(cwd, "logratio"))).toBe(false);
      },
      120_000,
    );

    test("every tenth step, and no half a file", () => {
      const cwd = freshFolder("every");
      const code = `import logratio_record as r
for step in range(25): r.record(step, rollout_logprobs=[[-1.0]], trainer_logprobs=[[-1.5]])
def fail(path):
    open(path, "w").write("half"); raise OSError("disk full")
r.never_stop(r.write_file)(30, 0, ".jsonl", fail)
print('TRUTH {}')`;
      const env = { PYTHONPATH: join(ROOT, "exporters"), LOGRATIO_EVERY: "10", CODE: code };
      const { log } = runShell(cwd, `"$PYTHON" -c "$CODE"`, env);
      expect(log).toContain("OSError: disk full");
      expect(readdirSync(join(cwd, "logratio")).sort()).toEqual(
        ["000000", "000010", "000020"].map((step) => `step_${step}.rank_0.call_0.jsonl`),
      );
    });
  },
);

test("every file that a message names is in the package", () => {
  const { stdout } = spawnSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  const packed = (JSON.parse(stdout)[0].files as { path: string }[]).map(({ path }) => path);
  for (const name of readdirSync(join(ROOT, "exporters")).filter((file) => file.endsWith(".py"))) {
    expect(packed).toContain(`exporters/${name}`);
    expect(existsSync(exporterPath(name))).toBe(true);
  }
});
