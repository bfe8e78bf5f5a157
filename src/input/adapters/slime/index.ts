/**
 * slime and miles: debug dumps of training data (`.pt`); log-probs and masks cover the response, `tokens` prompt and
 * response, nothing is padded.
 *
 * @module
 */

import type { NumericArray } from "../../../core/base/index.ts";
import {
  dictionary,
  LengthMismatchError,
  MissingSideError,
  UnsupportedError,
} from "../../../core/base/index.ts";
import type { SequenceDraft } from "../../../core/schema/index.ts";
import type { TreeDocument, TreeValue } from "../../io/index.ts";
import type { Adapter, AdapterContext, Match } from "../adapter.ts";
import { describeValue, readNumbers, readScalar, readVector } from "../shared/tree-values.ts";
import { asDump, type Dump } from "./dump.ts";

const LABELS: Readonly<Record<string, string>> = {
  rollout_log_probs: "rollout log-probs",
  log_probs: "trainer log-probs",
  ref_log_probs: "reference log-probs",
  teacher_log_probs: "teacher log-probs",
  tokens: "prompt and response token ids",
  loss_masks: "response mask",
  advantages: "advantages",
  entropy: "trainer entropy",
  rewards: "reward",
};

/** miles also writes what slime writes; this key is its own. */
function nameTrainer({ root }: Dump): string {
  return root.qkv_format !== undefined || root.cp_size !== undefined ? "miles" : "slime";
}

async function findProblem(dump: Dump, file: string): Promise<Match["problem"]> {
  const trainer = nameTrainer(dump);
  if (dump.kind === "rollout") {
    return new MissingSideError(`this is a slime rollout dump: it does not hold the trainer's log-probs`, {
      at: { file },
      likely: "it was written by --save-debug-rollout-data, or is rollout_data/ of --dump-details",
      hint: "read the training dump instead: --save-debug-train-data PATH, or train_data/ next to rollout_data/ with --dump-details DIR",
    });
  }
  const contextParallel = await readScalar(dump.root.cp_size);
  if (contextParallel !== undefined && contextParallel > 1) {
    return new UnsupportedError(
      `this ${trainer} dump is one of ${contextParallel} context-parallel slices of each response`,
      {
        at: { file },
        likely: "miles saves log-probs as each rank holds them, cut into zigzag chunks",
        hint: "run one step with --context-parallel-size 1, or read rollout and train log-probs from a slime v2 dump",
      },
    );
  }
  const missing = ["rollout_log_probs", "log_probs"].filter((name) => !dump.has(name));
  if (missing.length === 0) return undefined;
  const side = missing[0] === "log_probs" ? "trainer" : "rollout";
  return new MissingSideError(
    `this ${trainer} dump has no ${missing.join(" and no ")}: the ${side} side is missing`,
    {
      at: { file },
      likely:
        side === "trainer"
          ? "--use-rollout-logprobs makes older versions skip the trainer's own forward pass"
          : "a custom generate function did not keep the engine's log-probs",
      hint:
        side === "trainer"
          ? "drop --use-rollout-logprobs for one step with --save-debug-train-data PATH"
          : 'in the generate function send "return_logprob": True to SGLang and fill sample.rollout_log_probs',
    },
  );
}

async function arrayAt(dump: Dump, i: number, name: string): Promise<NumericArray | undefined> {
  const value = dump.get(i, name);
  return value === undefined || value === null ? undefined : readVector(value);
}

async function toDraft(
  dump: Dump,
  i: number,
  file: string,
  rawRewards: ArrayLike<number> | undefined,
): Promise<SequenceDraft> {
  const length = await readScalar(dump.get(i, "response_lengths"));
  const rollout = await arrayAt(dump, i, "rollout_log_probs");
  const responseLength = length ?? rollout?.length ?? 0;
  const tokens = await arrayAt(dump, i, "tokens");
  if (tokens !== undefined && tokens.length < responseLength) {
    throw new LengthMismatchError(
      `tokens has ${tokens.length} values, response_lengths says ${responseLength}`,
      {
        found: tokens.length,
        expected: responseLength,
        at: { file, row: i },
      },
    );
  }
  const promptLength = tokens === undefined ? 0 : tokens.length - responseLength;
  const policies = dictionary<NumericArray>();
  const reference = await arrayAt(dump, i, "ref_log_probs");
  const teacher = await arrayAt(dump, i, "teacher_log_probs");
  if (reference !== undefined) policies.reference = reference;
  if (teacher !== undefined) policies.teacher = teacher;
  const entropy = await arrayAt(dump, i, "entropy");
  const position = await readScalar(dump.get(i, "rollout_position"));
  const sample =
    (await readScalar(dump.get(i, "sample_index"))) ?? (await readScalar(dump.get(i, "sample_indices")));
  const raw = rawRewards?.[position ?? i];
  return {
    length: responseLength,
    responseMask: (await arrayAt(dump, i, "loss_masks")) ?? new Uint8Array(responseLength).fill(1),
    rolloutLogprobs: rollout,
    trainerLogprobs: await arrayAt(dump, i, "log_probs"),
    responseTokenIds: tokens?.subarray(promptLength),
    promptTokenIds: tokens?.subarray(0, promptLength),
    policyLogprobs: policies,
    entropies: entropy && { trainer: entropy },
    advantages: await arrayAt(dump, i, "advantages"),
    reward: raw !== undefined && !Number.isNaN(raw) ? raw : await readScalar(dump.get(i, "rewards")),
    rank: await readScalar(dump.get(i, "data_parallel_rank")),
    row: i,
    sampleId: sample === undefined ? undefined : String(sample),
  };
}

/** `raw_reward` covers the whole rollout batch, so it can only be told apart by position when it has one per sample. */
async function readRawRewards(dump: Dump): Promise<ArrayLike<number> | undefined> {
  const value: TreeValue | undefined = dump.kind === "train-v2" ? dump.root.raw_reward : undefined;
  return readNumbers(value, dump.samples);
}

async function* readBlocks(
  document: TreeDocument,
  context: AdapterContext,
): AsyncGenerator<readonly SequenceDraft[]> {
  const dump = (await asDump(document.root))!;
  const rawRewards = await readRawRewards(dump);
  let drafts: SequenceDraft[] = [];
  let tokens = 0;
  for (let i = 0; i < dump.samples; i++) {
    const draft = await toDraft(dump, i, document.file, rawRewards);
    drafts.push(draft);
    tokens += draft.length;
    if (tokens >= context.blockTokens) {
      yield drafts;
      drafts = [];
      tokens = 0;
    }
  }
  if (drafts.length > 0) yield drafts;
}

export const slime: Adapter = {
  name: "slime",
  async detect(document) {
    if (document.kind !== "tree") return undefined;
    const dump = await asDump(document.root);
    if (dump === undefined || (dump.kind === "train-v1" && !dump.has("tokens"))) return undefined;
    const names = Object.keys(LABELS);
    const version =
      dump.kind === "train-v2"
        ? "version 2"
        : dump.kind === "train-v1"
          ? "version 1 (one rank)"
          : "rollout dump";
    const rank = dump.kind === "train-v1" ? await readScalar(document.root.rank) : undefined;
    return {
      score: 0.95,
      found: [
        `${nameTrainer(dump)} ${version}: ${dump.samples} samples`,
        ...names
          .filter(dump.has)
          .map((name) => `${LABELS[name]}: ${name}, per sample ${describeValue(dump.get(0, name))}`),
      ],
      guessed: dump.has("loss_masks")
        ? []
        : ["response mask: no loss_masks, so every token counts as sampled"],
      missing: names.filter((name) => !dump.has(name)).map((name) => LABELS[name]!),
      step: await readScalar(document.root.rollout_id),
      rank,
      problem: await findProblem(dump, document.file),
    };
  },
  async read(document, context) {
    const dump = await asDump((document as TreeDocument).root);
    return {
      trainer: dump === undefined ? undefined : nameTrainer(dump),
      alignment: "token",
      sampling: {},
      blocks: readBlocks(document as TreeDocument, context),
    };
  },
};
