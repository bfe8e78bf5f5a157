/**
 * Every verb that writes, as the tests of outputs run them.
 *
 * @module
 */
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { DEMO, ROOT, runCli } from "./run-cli.ts";

export interface Writer {
  readonly name: string;
  /** A file or directory below the folder of {@link makeInputs}. */
  readonly input: string;
  /** Ending of a file that is written; undefined for a directory. */
  readonly extension: string | undefined;
  readonly args: (input: string, output: string) => readonly string[];
}

const TOKENIZER = join(DEMO, "tokenizer");
/** Limits that hold; so many that the output is longer than a page of memory. */
const LIMITS = Array.from({ length: 100 }, (_, least) => ["--limit", `tokens > ${least}`]).flat();
const STUDY = ["--reference", "dpo", "--tokenizer", TOKENIZER];

export const FILE_WRITERS: readonly Writer[] = [
  {
    name: "report --html",
    input: "run/step_0010.npz",
    extension: ".npz",
    args: (input, output) => ["report", input, "--html", output],
  },
  {
    name: "gate --html",
    input: "run/step_0010.npz",
    extension: ".npz",
    args: (input, output) => ["gate", input, "--limit", "tokens > 0", "--html", output],
  },
  {
    name: "gate --junit",
    input: "record.parquet",
    extension: ".parquet",
    args: (input, output) => ["gate", input, ...LIMITS, "--junit", output],
  },
  {
    name: "analyze --html",
    input: "log.jsonl",
    extension: ".jsonl",
    args: (input, output) => ["analyze", input, "--html", output],
  },
  {
    name: "kl --html",
    input: "logits.npz",
    extension: ".npz",
    args: (input, output) => ["kl", input, ...STUDY, "--out", `${output}.study`, "--html", output],
  },
  {
    name: "convert --out",
    input: "record.parquet",
    extension: ".parquet",
    args: (input, output) => ["convert", input, "--out", output],
  },
  {
    name: "correct --out x.parquet",
    input: "record.parquet",
    extension: ".parquet",
    args: (input, output) => ["correct", input, "--preset", "verl", "--out", output],
  },
  {
    name: "correct --out x.npz",
    input: "run/step_0010.npz",
    extension: ".npz",
    args: (input, output) => ["correct", input, "--preset", "verl", "--out", output],
  },
  {
    name: "divergence --out",
    input: "run/step_0010.npz",
    extension: ".npz",
    args: (input, output) => ["divergence", input, "--threshold", "0", "--out", output],
  },
  {
    name: "view --bundle x.zip",
    input: "step.zip",
    extension: ".zip",
    args: (input, output) => ["view", input, "--cache", `${input}-cache`, "--bundle", output],
  },
];

export const DIRECTORY_WRITERS: readonly Writer[] = [
  {
    name: "correct --out DIR",
    input: "run",
    extension: undefined,
    args: (input, output) => ["correct", input, "--preset", "verl", "--out", output],
  },
  {
    name: "view --bundle DIR",
    input: "run",
    extension: undefined,
    args: (input, output) => ["view", input, "--cache", `${input}-cache`, "--bundle", output],
  },
  {
    name: "view --cache",
    input: "run",
    extension: undefined,
    args: (input, output) => ["view", input, "--cache", output, "--bundle", `${output}-bundle`],
  },
];

export const STUDY_WRITERS: readonly Writer[] = ["score", "kl"].map((verb) => ({
  name: `${verb} --out`,
  input: "logits.npz",
  extension: undefined,
  args: (input, output) => [verb, input, ...STUDY, "--out", output],
}));

/** One file of each kind that the writers read. */
export function makeInputs(folder: string): void {
  mkdirSync(join(folder, "run"), { recursive: true });
  const step = join(DEMO, "stale/step_0010.npz");
  copyFileSync(step, join(folder, "run/step_0010.npz"));
  copyFileSync(join(DEMO, "stale/step_0020.npz"), join(folder, "run/step_0020.npz"));
  copyFileSync(step, join(folder, "step.zip"));
  copyFileSync(join(ROOT, "examples/kl/logits.npz"), join(folder, "logits.npz"));
  for (const args of [
    ["convert", "run", "--out", "record.parquet"],
    ["divergence", "run", "--threshold", "0", "--out", "log.jsonl"],
  ]) {
    const { status, err } = runCli(folder, args);
    if (status !== 0) throw new Error(`${args.join(" ")}: ${err}`);
  }
}
