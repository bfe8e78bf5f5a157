import { spawnSync } from "node:child_process";
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeZip } from "../src/input/io/zip-writer.test-data.ts";
import { call, pickle } from "../src/input/readers/shared/pickle-writer.test-data.ts";
import { countColumns } from "./support/count-columns.ts";
import { lacks } from "./support/platform.ts";
import { type CliRun, DEMO, ROOT, requireBuild, runCli } from "./support/run-cli.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const noShell = lacks("shell", "a reader that leaves early");

let directory: string;

beforeAll(() => {
  requireBuild();
  directory = mkdtempSync(join(tmpdir(), "logratio-cli-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const logratio = (args: readonly string[], options?: Parameters<typeof runCli>[2]): CliRun =>
  runCli(directory, args, options);

const LOGPROBS = [-0.1, -0.2, -0.3, -0.4];
const row = (changes: Record<string, unknown> = {}): string =>
  // Python writes NaN and infinities bare.
  JSON.stringify({
    response_ids: [1, 2, 3, 4],
    response_mask: [1, 1, 1, 1],
    rollout_log_probs: LOGPROBS,
    old_log_probs: LOGPROBS.map((value) => value - 0.01),
    step: 1,
    ...changes,
  }).replaceAll(/"(NaN|-?Infinity)"/g, "$1");

function file(name: string, ...lines: string[]): string {
  writeFileSync(join(directory, name), lines.length ? `${lines.join("\n")}\n` : "");
  return name;
}

const parseMetrics = (out: string): Record<string, number | null> => JSON.parse(out).metrics;

it.each([
  { args: ["--color", "never"], env: {} },
  { args: ["--no-color"], env: {} },
  { args: [], env: { NO_COLOR: "1" } },
])("prints errors without colors for $args $env, whatever FORCE_COLOR says", ({ args, env }) => {
  const run = (words: readonly string[], more: Record<string, string>) =>
    logratio([...words, "report", "missing"], { env: { NO_COLOR: "", FORCE_COLOR: "1", ...more } }).err;
  expect(run([], {})).toContain("\u001b[31m");
  expect(run(args, env)).toMatch(/^error: missing does not exist/);
});

it.skipIf(noShell)("completes the files it writes when nobody reads its output to the end", () => {
  const log = join(directory, "piped.jsonl");
  const verb = `divergence '${DEMO}' --threshold 0.1 --top-k 40 --out '${log}'`;
  spawnSync("bash", ["-c", `'${process.execPath}' '${join(ROOT, "bin/logratio.js")}' ${verb} | head -n 1`]);
  expect(readFileSync(log, "utf8").trimEnd().split("\n")).toHaveLength(200);
});

it("fails, as a bug, where it waits for what cannot happen any more", () => {
  const lost = "import { promises } from 'node:fs'; promises.stat = () => new Promise(() => {});";
  const hook = `data:text/javascript,${lost} import { syncBuiltinESMExports } from 'node:module'; syncBuiltinESMExports();`;
  const args = ["--import", hook, join(ROOT, "bin/logratio.js"), "report", DEMO];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(stderr).toMatch(/^bug: Error: the command waits for something that cannot happen any more\n/);
  expect({ status, stdout }).toEqual({ status: 3, stdout: "" });
});

describe("logratio report", () => {
  it("prints the contract's metrics as JSON, with nothing else on standard output", () => {
    const { status, out, err } = logratio(["report", DEMO, "--json"]);
    expect(status).toBe(0);
    expect(err).toBe("");
    const report = JSON.parse(out);
    expect(report.schemaVersion).toBe(2);
    expect(Object.keys(report.metrics)).toEqual(
      expect.arrayContaining(
        "sequences tokens steps turns_max delta_mean delta_abs_mean delta_abs_max delta_abs_p50 delta_abs_p99 delta_abs_p999 k1 k2 k3 chi2_token prob_diff_mean prob_diff_max pearson ess".split(
          " ",
        ),
      ),
    );
    expect(report.metrics).toMatchObject({ sequences: 768, tokens: 54994, steps: 12, turns_max: 4 });
    // Computed with NumPy in float64 from the same files.
    const reference = {
      delta_abs_mean: 0.003946318292758236,
      delta_abs_max: 10.70724556595087,
      k1: 0.001419698885752255,
      k2: 0.005850218246778688,
      k3: 0.0013537548862800842,
      chi2_token: 0.0007412606050936077,
      prob_diff_mean: 0.0013304635964744072,
      prob_diff_max: 0.9978168632132952,
      pearson: 0.9957267044549166,
      ess: 0.9991275024926035,
    };
    for (const [name, value] of Object.entries(reference)) {
      expect(Math.abs(report.metrics[name] / value - 1), name).toBeLessThan(1e-6);
    }
    expect(report.metrics.delta_abs_p99 / 0.0434770626).toBeCloseTo(1, 2);
    expect(report.metrics.delta_abs_p999 / 0.364560921).toBeCloseTo(1, 2);
    expect(report.per_step).toHaveLength(12);
    expect(report.per_turn).toHaveLength(4);
  });

  it("starts with a screen of 24 lines: verdict with when, the worst mistake as text, figures, commands", () => {
    const { status, out } = logratio(["report", DEMO, "--brief"], { env: { COLUMNS: "80" } });
    const lines = out.trimEnd().split("\n");
    expect(status).toBe(0);
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(lines[2]).toMatch(/^△ ELEVATED {2}In steps 10–30; normal since step 50: /);
    // Uses the tokenizer next to the dumps.
    expect(out).toContain("Therefore x = 1▐0▌0. #### 100");
    expect(out).toMatch(/\n {2}\|Δp\| > ½ +11 tokens +none +△/);
    expect(out).toMatch(/\n {2}meanwhile +logratio sweep /);
    const command = lines.findIndex((line) => line.includes("logratio doctor "));
    expect(command).toBeGreaterThan(0);
    for (const [at, line] of lines.entries())
      if (at !== command) expect(countColumns(line)).toBeLessThanOrEqual(80);
  });

  it("reads every container of the same sequences to the same figures", () => {
    const folder = join(ROOT, "examples/demo-formats");
    const names = readdirSync(folder).filter((name) => name.startsWith("step_"));
    const results = names.map((name) => parseMetrics(logratio(["report", join(folder, name), "--json"]).out));
    expect(names.length).toBe(4);
    for (const result of results) expect(result).toEqual(results[0]);
  });

  it("reads the only step that is asked for", () => {
    const { out } = logratio(["report", DEMO, "--steps", "30", "--json"]);
    expect(parseMetrics(out)).toMatchObject({ steps: 1, sequences: 64 });
  });

  it("writes the page whole and says so on standard error", () => {
    const { status, err } = logratio(["report", DEMO, "--html", "page.html", "--brief"]);
    expect(status).toBe(0);
    expect(err).toBe("written: page.html\n");
    expect(readFileSync(join(directory, "page.html"), "utf8")).toMatch(
      /^<!doctype html>[\s\S]*<\/html>\s*$/i,
    );
    expect(readdirSync(directory).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it("explains what each file was read as", () => {
    const { err } = logratio(["report", DEMO, "--explain", "--brief"]);
    expect(err).toContain("read as   verl (npz)");
    expect(err).toContain("rollout log-probs: rollout_log_probs, float32 [64, 136]");
  });

  it("says that a filter left no token", () => {
    const { status, err } = logratio(["report", DEMO, "--filter", "abs>1000"]);
    expect(status).toBe(3);
    expect(err).toMatch(/error: (nothing to compare: --filter matches no token|--filter matches none of)/);
  });

  it("reads standard input", () => {
    const { status, out } = logratio(["report", "-", "--json"], { input: `${row()}\n${row()}\n` });
    expect(status).toBe(0);
    expect(parseMetrics(out).tokens).toBe(8);
  });

  it("says that standard input is a directory", () => {
    const stdin = openSync(directory, "r");
    const { status, stderr } = spawnSync(process.execPath, [join(ROOT, "bin/logratio.js"), "report", "-"], {
      stdio: [stdin, "pipe", "pipe"],
      encoding: "utf8",
    });
    closeSync(stdin);
    expect(status).toBe(3);
    expect(stderr).toContain("error: standard input is a directory, not a file or a pipe");
  });

  it("takes columns by name", () => {
    const name = file(
      "own.jsonl",
      ...[1, 2].map(() => JSON.stringify({ a: { engine: [-1, -2] }, b: [-1, -2.5], keep: [1, 1] })),
    );
    const { status, out } = logratio([
      "report",
      name,
      "--rollout",
      "a.engine",
      "--trainer",
      "b",
      "--mask",
      "keep",
      "--json",
    ]);
    expect(status).toBe(0);
    expect(parseMetrics(out).delta_abs_mean).toBeCloseTo(0.25, 12);
  });

  it("reads two one-sided files as the two sides of the same tokens", () => {
    const side = (name: string, logprobs: number[]) =>
      file(name, JSON.stringify({ token_ids: [5, 6, 7], logprobs }));
    const { status, out } = logratio([
      "report",
      side("a.jsonl", [-1, -2, -3]),
      side("b.jsonl", [-1, -2.5, -3]),
      "--json",
    ]);
    expect(status).toBe(0);
    expect(parseMetrics(out)).toMatchObject({ tokens: 3, delta_abs_max: 0.5, delta_mean: -0.5 / 3 });
  });
});

interface BadInput {
  readonly of: string;
  readonly make: () => string;
  readonly status: number;
  readonly says: readonly string[];
}

const BAD: readonly BadInput[] = [
  {
    of: "a truncated file",
    make: () => {
      writeFileSync(
        join(directory, "cut.npz"),
        readFileSync(join(DEMO, "stale/step_0010.npz")).subarray(0, 100_000),
      );
      return "cut.npz";
    },
    status: 3,
    says: [
      "zip archive has no end-of-central-directory record",
      "where   cut.npz, byte 100000",
      "cut off while it was being written",
    ],
  },
  {
    of: "an empty file",
    make: () => file("empty.jsonl"),
    status: 3,
    says: ["the file is empty (0 bytes)", "where   empty.jsonl"],
  },
  { of: "a missing file", make: () => "nothere.npz", status: 3, says: ["nothere.npz does not exist"] },
  {
    of: "rows of unequal lengths",
    make: () => file("unequal.jsonl", row(), row({ old_log_probs: [-0.1, -0.2, -0.3] })),
    status: 4,
    says: [
      "1 row cannot be read: trainer log-probs has 3 values, expected 4",
      "first at unequal.jsonl, row 1",
    ],
  },
  {
    of: "NaN and infinities",
    make: () => file("nan.jsonl", row(), row({ old_log_probs: ["NaN", -0.2, "Infinity", "-Infinity"] })),
    status: 0,
    says: ["1 trainer log-prob is missing or NaN where the mask is 1", "2 trainer log-probs are infinite"],
  },
  {
    of: "a side without a single log-prob",
    make: () => file("no-side.jsonl", row({ old_log_probs: ["NaN", "NaN", -9999, "NaN"] })),
    status: 3,
    says: [
      "nothing to compare: no token with mask 1 has a finite log-prob on both sides (4 tokens)",
      "likely 1 trainer log-prob is -9999 or below: read as missing; 3 trainer log-probs are missing or NaN where the mask is 1",
    ],
  },
  {
    of: "sentinels",
    make: () =>
      file(
        "sentinel.jsonl",
        row(),
        row({ rollout_log_probs: [-9999, 1, 0, -0.4], old_log_probs: [-0.1, -0.2, -5, -0.4] }),
      ),
    status: 0,
    says: ["-9999", "exactly 1", "exactly 0"],
  },
  {
    of: "a positive log-prob",
    make: () => file("positive.jsonl", row(), row({ rollout_log_probs: [0.5, -0.2, -0.3, -0.4] })),
    status: 0,
    says: ["positive"],
  },
  {
    of: "probabilities instead of log-probs",
    make: () =>
      file(
        "probabilities.jsonl",
        row({ rollout_log_probs: [0.9, 0.8, 0.7, 0.6], old_log_probs: [0.9, 0.8, 0.7, 0.6] }),
      ),
    status: 3,
    says: ["4 of 4 rollout log-probs are positive: these are not log-probs"],
  },
  {
    of: "a mask that is not 0 or 1",
    make: () => file("mask.jsonl", row(), row({ response_mask: [0.5, 2, 1, 0] })),
    status: 0,
    says: ["2 mask values are neither 0 nor 1: nulls and NaN count as 0, all others as 1"],
  },
  {
    of: "a mask without a single 1",
    make: () => file("masked.jsonl", row({ response_mask: [0, 0, 0, 0] })),
    status: 3,
    says: ["no token in the whole input has mask 1", "--mask COLUMN"],
  },
  {
    of: "a partial last line",
    make: () => {
      writeFileSync(join(directory, "partial.jsonl"), `${row()}\n${row().slice(0, 60)}`);
      return "partial.jsonl";
    },
    status: 4,
    says: ["the last line is cut off: 60 bytes without a closing brace"],
  },
  {
    of: "a hostile pickle",
    make: () => {
      const bytes = pickle(call("posix", "system", `touch ${join(directory, "was-run")}`));
      writeFileSync(join(directory, "hostile.pt"), writeZip([{ name: "a/data.pkl", bytes }]));
      return "hostile.pt";
    },
    status: 3,
    says: ["refused to run posix.system", "nothing was run"],
  },
  {
    of: "an absurd declared size",
    make: () => {
      const header = `{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776, 8), }\n`;
      const bytes = Buffer.alloc(10 + header.length + 64);
      bytes.write("\x93NUMPY\x01\x00", "latin1");
      bytes.writeUInt16LE(header.length, 8);
      bytes.write(header, 10, "latin1");
      writeFileSync(join(directory, "huge.npy"), bytes);
      return "huge.npy";
    },
    status: 3,
    says: ["npy data is cut off: the header declares 35184372088832 bytes, found 64"],
  },
  {
    of: "text of a trainer without log-probs",
    make: () =>
      file("one-sided.jsonl", JSON.stringify({ input: "a", output: "b", gts: "c", score: 1, step: 1 })),
    status: 3,
    says: [
      "holds text only: neither policy's log-probs are in it",
      "VERL_USE_EXTERNAL_MODULES=logratio.hooks.verl",
    ],
  },
  {
    of: "columns that nobody knows",
    make: () => file("unknown.jsonl", JSON.stringify({ token_ids: [1, 2], foo: [-1, -2], bar: [-1, -2] })),
    status: 3,
    says: ["foo: numbers [2]", "--rollout COLUMN --trainer COLUMN"],
  },
  {
    of: "bytes of no known format",
    make: () => {
      writeFileSync(join(directory, "garbage"), Buffer.from([0xcc, 0xf6, 0x02, 0x57, 1, 2, 3]));
      return "garbage";
    },
    status: 3,
    says: ["binary data of no known format"],
  },
];

describe("bad input", () => {
  it.each(BAD.map((bad) => [bad.of, bad] as const))(
    "%s: says what, where, why; exit status",
    (_, { make, status, says }) => {
      const result = logratio(["report", make(), "--brief"]);
      expect(result.status).toBe(status);
      for (const text of says) expect(result.err.replace(/\s+/g, " ")).toContain(text.replace(/\s+/g, " "));
      expect(result.err).not.toMatch(/\n\s+at .*\(.*:\d+:\d+\)|bug:/);
    },
  );

  it("reads the rest of a directory around a broken file, and exits with 4", () => {
    mkdirSync(join(directory, "mixed"), { recursive: true });
    copyFileSync(join(DEMO, "stale/step_0010.npz"), join(directory, "mixed/step_0010.npz"));
    writeFileSync(join(directory, "mixed/step_0020.npz"), "PK");
    const { status, out, err } = logratio(["report", "mixed", "--json"]);
    expect(status).toBe(4);
    expect(parseMetrics(out)).toMatchObject({ sequences: 64, steps: 1 });
    expect(err).toContain("cannot be read: zip archive");
    expect(err).toContain("mixed/step_0020.npz");
  });

  it("writes control characters in names out instead of sending them to the terminal", () => {
    const { err } = logratio(["report", "no\u001b[31msuch"]);
    expect(err).not.toContain("\u001b");
    expect(err).toContain("no\\x1b[31msuch");
  });
});

describe("wrong usage", () => {
  it.each([
    [["repotr"], "unknown command 'repotr' (Did you mean report?)"],
    [["report"], "missing required argument 'path'"],
    [["report", "x", "--nonsense"], "unknown option '--nonsense'"],
    [["report", "x", "--json", "--markdown"], "--json and --markdown cannot be combined"],
    [["report", "x", "--parity", "vlm"], 'unknown trainer "vlm"'],
    [["report", "x", "--steps", "a"], '--steps: cannot parse "a"'],
    [["report", "x", "--batch-tokens", "0"], "--batch-tokens must be a positive integer"],
    [["report", DEMO, "--steps", "31"], "no file belongs to the requested steps"],
  ])("%j exits with 2", (args, message) => {
    const { status, err, out } = logratio(args);
    expect(status).toBe(2);
    expect(err).toContain(message);
    expect(out).toBe("");
  });

  it("has help for every verb, on standard output", () => {
    for (const args of [
      ["--help"],
      ["report", "--help"],
      ["convert", "--help"],
      ["conformance", "--help"],
      ["demo", "--help"],
    ]) {
      const { status, out, err } = logratio(args);
      expect([status, err]).toEqual([0, ""]);
      expect(out).toContain("Usage: logratio");
    }
  });
});

describe("without a verb", () => {
  it("a path is a report, with the flags of report", () => {
    expect(logratio([DEMO, "--brief"])).toEqual(logratio(["report", DEMO, "--brief"]));
    expect(logratio(["no/such"]).err).toEqual(logratio(["report", "no/such"]).err);
  });

  it("a verb wins over a file of its name, and says so", () => {
    const folder = temporaryFolder("logratio-verb-");
    writeFileSync(join(folder, "demo"), "");
    const { status, err } = runCli(folder, ["demo", "--json"]);
    expect([status, err]).toEqual([0, "demo is taken as the verb; the file of that name is ./demo\n"]);
  });
});

it("names the example run by a path that holds from any folder, inside the package too", () => {
  for (const [from, path] of [
    [ROOT, "examples/demo"],
    [join(ROOT, "src"), DEMO],
    [join(ROOT, "src/apps"), DEMO],
  ] as const) {
    const { next } = JSON.parse(runCli(from, ["demo", "--json"]).out) as { next: { command: string } };
    expect(next.command.split(" ")[2]).toBe(path);
  }
});

describe("logratio convert", () => {
  it("writes a record that reads back to the same figures", () => {
    const { status, err } = logratio(["convert", DEMO, "--out", "run.parquet"]);
    expect(status).toBe(0);
    expect(err).toMatch(/^written: run\.parquet: 768 sequences, [\d,]+ response tokens\n$/);
    const [direct, back] = [DEMO, "run.parquet"].map((path) =>
      JSON.parse(logratio(["report", path, "--json"]).out),
    );
    expect(back.metrics).toEqual(direct.metrics);
    expect(back.per_turn).toEqual(direct.per_turn);
    expect(back.per_correctness).toEqual(direct.per_correctness);
  });
});

describe("logratio conformance", () => {
  it("prints one line per case and skips kinds out of reach", () => {
    mkdirSync(join(directory, "cases"), { recursive: true });
    const inputs = { old_log_probs: [[-15, -1]], rollout_log_probs: [[-5, -1]], response_mask: [[1, 1]] };
    writeFileSync(
      join(directory, "cases/a.json"),
      JSON.stringify({ id: "a", kind: "verl.offpolicy", inputs, config: {} }),
    );
    writeFileSync(
      join(directory, "cases/b.json"),
      JSON.stringify({ id: "b", kind: "no.such", inputs: {}, config: {} }),
    );
    const { status, out } = logratio(["conformance", "cases", "--json"]);
    const [a, b] = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(status).toBe(0);
    expect(a.actual.offpolicy.kl).toBeCloseTo(5, 6);
    expect(b).toEqual({ id: "b", skipped: true });
  });
});
