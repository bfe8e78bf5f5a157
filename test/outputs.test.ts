/**
 * For every verb that writes: nothing it reads is ever replaced, and no foreign file is replaced without --force.
 */
import { createHash } from "node:crypto";
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { lacks } from "./support/platform.ts";
import { requireBuild, runCli } from "./support/run-cli.ts";
import { DIRECTORY_WRITERS, FILE_WRITERS, makeInputs, STUDY_WRITERS } from "./support/writers.ts";

const noLinks = lacks("links", "outputs that are links to inputs");

let inputs: string;
let dir: string;

beforeAll(() => {
  requireBuild();
  inputs = mkdtempSync(join(tmpdir(), "outputs-inputs-"));
  makeInputs(inputs);
}, 120_000);
afterAll(() => {
  rmSync(inputs, { recursive: true });
  rmSync(dir, { recursive: true, force: true });
});
beforeEach(() => {
  if (dir !== undefined) rmSync(dir, { recursive: true, force: true });
  dir = mkdtempSync(join(tmpdir(), "outputs-"));
});

/** Every file and link below a folder, with a digest of its content. */
function state(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  return Object.fromEntries(
    names.map((name) => {
      const path = join(folder, name);
      const content = statSync(path).isFile() ? readFileSync(path) : "directory";
      return [name, createHash("sha256").update(content).digest("hex")];
    }),
  );
}

/** Runs a command and checks that it refuses: wrong usage, nothing touched. */
function refused(args: readonly string[]): string {
  const before = [state(inputs), state(dir)];
  const { status, out, err } = runCli(dir, args);
  expect(err).toMatch(/^error: --/);
  expect([status, out]).toEqual([2, ""]);
  expect([state(inputs), state(dir)]).toEqual(before);
  return err;
}

const FOREIGN = "notes of mine\n";

describe.each(FILE_WRITERS)("$name", ({ input, extension, args }) => {
  it.skipIf(noLinks)("never replaces an input, nor a link to one, with --force neither", () => {
    const read = join(inputs, input);
    expect(refused(args(read, read))).toMatch(/would replace what this command reads/);
    const link = join(dir, `link${extension}`);
    symlinkSync(read, link);
    expect(refused(args(read, link))).toMatch(/it is the same file as .*/);
    const hard = join(dir, `hard${extension}`);
    linkSync(read, hard);
    expect(refused([...args(read, hard), "--force"])).toMatch(/it is the same file as .*/);
  });

  it("replaces a foreign file with --force only", () => {
    const output = join(dir, `out${extension}`);
    writeFileSync(output, FOREIGN);
    expect(refused(args(join(inputs, input), output))).toMatch(
      /text, not an? .* of logratio's[\s\S]*--force|text, not corrected arrays of logratio's[\s\S]*--force/,
    );
    const { status } = runCli(dir, [...args(join(inputs, input), output), "--force"]);
    expect(status).toBe(0);
    const written = readFileSync(output, "latin1");
    // A log is appended to; everything else is rewritten.
    expect(written.startsWith(FOREIGN)).toBe(args(input, output)[0] === "divergence");
    expect(written.length).toBeGreaterThan(1000);
  });

  it("writes its own earlier output again, and no other kind of output", () => {
    const output = join(dir, `out${extension}`);
    const own = args(join(inputs, input), output);
    expect(runCli(dir, own).status).toBe(0);
    expect(runCli(dir, own).status).toBe(0);
    const other = FILE_WRITERS.find(
      (writer) => writer.extension === extension && writer.args("", "")[0] !== own[0],
    );
    if (other !== undefined) refused(other.args(join(inputs, other.input), output));
  });
});

describe.each(DIRECTORY_WRITERS)("$name", ({ input, args }) => {
  it.skipIf(noLinks)("writes into no directory that is read, by whatever name", () => {
    const read = join(inputs, input);
    expect(refused([...args(read, read), "--force"])).toMatch(/is a directory that is read/);
    expect(refused(args(read, join(read, "more")))).toMatch(/lies in a directory that is read/);
    const link = join(dir, "link");
    symlinkSync(read, link);
    expect(refused(args(read, link))).toMatch(/is a directory that is read/);
    const file = join(dir, "file");
    writeFileSync(file, FOREIGN);
    expect(refused(args(read, file))).toMatch(/is a file, but the output is a directory/);
  });

  it("may be repeated", () => {
    const again = args(join(inputs, input), join(dir, "out"));
    expect(runCli(dir, again).status).toBe(0);
    expect(runCli(dir, again).status).toBe(0);
  });
});

it("correct --out DIR names a foreign file that is in its way", () => {
  const out = join(dir, "weights");
  mkdirSync(out);
  linkSync(join(inputs, "run/step_0020.npz"), join(out, "step_0020.npz"));
  const args = ["correct", join(inputs, "run"), "--preset", "verl", "--out", out];
  expect(refused([...args, "--force"])).toMatch(/step_0020\.npz would replace what this command reads/);
  rmSync(join(out, "step_0020.npz"));
  writeFileSync(join(out, "step_0020.npz"), readFileSync(join(inputs, "logits.npz")));
  expect(refused(args)).toMatch(/a file that holds data \(npz arrays\)/);
});

it("view --bundle DIR replaces no foreign directory, with --force neither", () => {
  const out = join(dir, "thesis");
  mkdirSync(out);
  writeFileSync(join(out, "chapter.txt"), FOREIGN);
  const args = ["view", join(inputs, "run"), "--cache", join(dir, "cache"), "--bundle", out, "--force"];
  const words = refused(args);
  expect(words).toMatch(/would replace a directory with 1 entries/);
  expect(words).toMatch(/a directory that logratio did not write is never replaced/);
});

it.each(["site", "site.zip"])("view --bundle %s replaces the bundle of the run before", (name) => {
  const args = ["view", join(inputs, "run"), "--cache", join(dir, "cache"), "--bundle", join(dir, name)];
  for (let time = 0; time < 2; time++) expect(runCli(dir, args)).toMatchObject({ status: 0 });
});

describe.each(STUDY_WRITERS)("$name", ({ input, args }) => {
  it("replaces no texts of the user's, and goes on with a study that is there", () => {
    const out = join(dir, "study");
    mkdirSync(out);
    writeFileSync(join(out, "texts.jsonl"), '{"prompt": "1+1=", "response": "2"}\n');
    expect(refused(args(join(inputs, input), out))).toMatch(/would replace a directory with 1 entries/);
    rmSync(join(out, "texts.jsonl"));
    expect(runCli(dir, args(join(inputs, input), out)).status).toBe(0);
    expect(runCli(dir, args(join(inputs, input), out)).status).toBe(0);
  });
});

it("score never replaces the texts that it reads", () => {
  writeFileSync(join(dir, "texts.jsonl"), '{"prompt": "1+1=", "response": "2"}\n');
  const args = [
    "score",
    "texts.jsonl",
    "--policy",
    "a=onnx:none",
    "--policy",
    "b=onnx:none",
    "--reference",
    "a",
    "--out",
    ".",
  ];
  expect(refused([...args, "--force"])).toMatch(/would replace what this command reads: texts\.jsonl/);
});

it("asks for the page's name where it was forgotten", () => {
  const [a, b] = ["run/step_0010.npz", "run/step_0020.npz"].map((name) => join(inputs, name)) as [
    string,
    string,
  ];
  const err = refused(["report", "--html", a, b]);
  expect(err).toContain(`--html ${a} would replace a file that holds data (npz arrays)`);
  expect(err).toContain(`did you forget the name of the page? --html report.html ${a} ${b}`);
});

it("writes no data into a directory that is read: the next run would read it", () => {
  const run = join(inputs, "run");
  for (const args of [
    ["convert", run, "--out", join(run, "all.parquet")],
    ["divergence", run, "--out", join(run, "log.jsonl")],
    ["divergence", run, "--out", join(run, "log-{iteration}.jsonl")],
  ])
    expect(refused(args)).toMatch(/lies in .*, which is read/);
});

it("asks about every file of a rotated log", () => {
  writeFileSync(join(dir, "log-iteration-20.jsonl"), FOREIGN);
  const args = [
    "divergence",
    join(inputs, "run"),
    "--threshold",
    "0",
    "--rotate",
    "iteration",
    "--out",
    "log.jsonl",
  ];
  expect(refused(args)).toMatch(/log-iteration-20\.jsonl would append to text/);
});

it("replaces no device", () => {
  const err = refused(["report", join(inputs, "run"), "--html", "/dev/null"]);
  expect(err).toMatch(/\/dev\/null is a device, which the output would replace/);
  expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
});

it("lists --force in the help of each of these verbs", () => {
  for (const verb of ["report", "gate", "analyze", "kl", "score", "correct", "convert", "divergence", "view"])
    expect(runCli(dir, [verb, "--help"]).out).toMatch(/--force +replace the output even if/);
});

describe("a repeated divergence", () => {
  it("adds no line that is there, whole or after a line that was cut off", () => {
    const args = ["divergence", join(inputs, "run"), "--threshold", "0", "--out", "log.jsonl"];
    expect(runCli(dir, args).status).toBe(0);
    const log = join(dir, "log.jsonl");
    const first = readFileSync(log, "utf8");
    expect(first.trimEnd().split("\n")).toHaveLength(10);
    const again = runCli(dir, args);
    expect(again.out).toContain("appended to log.jsonl: 0 lines, 10 there already");
    expect(again.err).toContain("10 records were already in the log and were not written again");
    expect(readFileSync(log, "utf8")).toBe(first);

    writeFileSync(log, first.slice(0, -20));
    expect(runCli(dir, args).out).toContain("appended to log.jsonl: 1 line, 9 there already");
    const lines = readFileSync(log, "utf8").trimEnd().split("\n");
    expect(lines[10]).toBe(first.trimEnd().split("\n")[9]);
  });

  it("counts in whichever file of a rotated log a line is", () => {
    const args = [
      "divergence",
      join(inputs, "run"),
      "--threshold",
      "0",
      "--out",
      "log.jsonl",
      "--rotate-size",
      "1k",
    ];
    expect(runCli(dir, args).status).toBe(0);
    const files = state(dir);
    expect(Object.keys(files)).toEqual(["log.1.jsonl", "log.jsonl"]);
    expect(runCli(dir, args).status).toBe(0);
    expect(state(dir)).toEqual(files);
  });

  it("is counted once by analyze; logs without record_id are counted as they are", () => {
    const log = readFileSync(join(inputs, "log.jsonl"), "utf8");
    const figures = (text: string) => {
      writeFileSync(join(dir, "log.jsonl"), text);
      const { out, err } = runCli(dir, ["analyze", "log.jsonl", "--json"]);
      return { records: (JSON.parse(out) as { metrics: { records: number } }).metrics.records, err };
    };
    expect(figures(log)).toEqual({ records: 10, err: "" });
    const twice = figures(log + log);
    expect(twice.records).toBe(10);
    expect(twice.err).toContain("10 records occur more than once, by record_id, and are counted once");
    const others = log.replace(/,"record_id":"[^"]*"/g, "");
    expect(figures(others + others)).toEqual({ records: 20, err: "" });
  });
});
