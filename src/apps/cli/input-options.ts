import { type Command, Option } from "commander";
import type { RunInput } from "../../analyses/runs/input-options.ts";
import { DEFAULT_MEMORY_LIMIT, positiveInteger, setMemoryLimit, UsageError } from "../../core/base/index.ts";
import { COLUMN_FLAGS } from "../../core/schema/index.ts";

type MappedColumn = keyof typeof COLUMN_FLAGS;

const COLUMN_MEANINGS: Readonly<Record<MappedColumn, string>> = {
  rollout: "rollout log-probs",
  trainer: "trainer log-probs",
  mask: "response mask",
  tokens: "response token ids",
  prompt: "prompt token ids",
  attention: "attention mask",
  lengths: "tokens per sequence, for packed arrays",
  rescore: "log-probs of the rollout engine's prefill of the finished text, the third column of doctor",
  float32: "log-probs of the same weights in float32: whose error is the gap? (doctor)",
  step: "training step",
  rank: "rank",
  reward: "reward",
  correctness: "correctness, 0 or 1",
  group: "prompt group",
  sample: "sample id",
  environment: "environment or data source",
  advantages: "advantages",
  promptText: "prompt as text",
  responseText: "response as text",
};

/**
 * Flags of every verb that reads runs. `--help` and `--version` load this file, so it must not import the readers:
 * read-options.ts interprets the flags.
 */
export interface InputOptions extends Omit<RunInput, "batchTokens"> {
  readonly batchTokens?: string;
}

/** Added to every verb that decodes files; applies to the whole process. */
export function addMemoryOption(command: Command): Command {
  return command
    .option(
      "--memory <mib>",
      `memory for decoded data in MiB: files that need more are refused, tables spill to disk (default ${DEFAULT_MEMORY_LIMIT / 2 ** 20})`,
    )
    .hook("preAction", (_, action) => {
      const { memory } = action.opts<{ readonly memory?: string }>();
      if (memory !== undefined) setMemoryLimit(positiveInteger("--memory", memory) * 2 ** 20);
    });
}

export function addInputOptions(command: Command): Command {
  addMemoryOption(command)
    .option("--steps <range>", "read only these steps: 30, 100..200, 10,20,30")
    .option(
      "--pair",
      "two files with one policy's log-probs each, the rollout side first: join them even if neither names its policy",
    )
    .option(
      "--align <shift>",
      "take the trainer's log-prob of token t from entry t + SHIFT; auto: detect the shift; none: no check (default 0, checked)",
    )
    .option("--adapter <name>", "read as this trainer's format instead of detecting it")
    .option("--batch-tokens <n>", "tokens held in memory at a time (default 1000000)");
  for (const [field, flag] of Object.entries(COLUMN_FLAGS)) {
    const meaning = COLUMN_MEANINGS[field as MappedColumn];
    command.addOption(
      new Option(`${flag} <column>`, meaning).helpGroup(
        "Columns, if detection needs help (dots reach into objects):",
      ),
    );
  }
  return command;
}

/** Options of verbs that a cluster, or parts, can answer like a single process. */
export interface PlaceOptions {
  readonly on?: string;
  readonly parts?: string;
}

export function addPlaceOptions(command: Command): Command {
  return command
    .option(
      "--on <cluster>",
      "read on a Ray cluster: ray://host:10001, auto (docs/larger-than-one-machine.md)",
    )
    .option("--parts <dir>", "with --on: keep the parts here; the same command continues from them");
}

/** @throws UsageError if parts should be kept but none are made */
export function refuseStrayParts({ on, parts }: PlaceOptions): void {
  if (on !== undefined || parts === undefined) return;
  throw new UsageError("--parts belongs to --on", {
    hint: "logratio summarize PATH --out DIR writes parts here",
  });
}

/** Added to verbs filtered by `openFilter` (analyses/runs). */
export function addFilterOption(command: Command): Command {
  return command.option(
    "--filter <terms>",
    "keep only matching tokens and sequences: 'abs>0.5 turn:3 is:number correct:no'; turns count from 0",
  );
}
