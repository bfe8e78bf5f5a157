/**
 * prime-rl: `token_exports/step_{N}/rank_{r}.jsonl`, one line per sequence, prompt and response together, entry i
 * about token i, non-finite numbers as null.
 *
 * Written by `src/prime_rl/trainer/rl/token_export.py` (schema_version 1; commits 559b4477 and 004274ec).
 *
 * @module
 */

import type { NumericArray } from "../../../core/base/index.ts";
import { Unavailable, UnsupportedError } from "../../../core/base/index.ts";
import type { SequenceDraft } from "../../../core/schema/index.ts";
import { plural } from "../../../core/text/index.ts";
import type { Adapter, AdapterContext } from "../../../input/adapters/adapter.ts";
import { responseStart } from "../../../input/adapters/shared/conversation.ts";
import {
  FIELD_LABELS,
  FURTHER_COLUMNS,
  type FurtherField,
  findFurther,
} from "../../../input/adapters/shared/fields.ts";
import { agreedNumber, reportBadRow } from "../../../input/adapters/shared/row-objects.ts";
import { describeRowValue, toNumber, toNumbers, toText } from "../../../input/adapters/shared/row-values.ts";
import type { RowChunk, RowDocument } from "../../../input/io/index.ts";

const KNOWN_VERSION = 1;

const LABELS: Readonly<Record<string, string>> = {
  inference_logprobs: "rollout log-probs",
  trainer_logprobs: "trainer log-probs",
  loss_mask: "response mask",
  token_ids: "prompt and response token ids",
  position_ids: "position ids",
  advantages: "advantages",
  rewards: "reward",
  entropy: "trainer entropy",
  env_name: "environment",
  step: "step",
  rank: "rank",
};
const COLUMNS = [
  ...Object.keys(LABELS),
  ...FURTHER_COLUMNS.map(([, name]) => name),
  ...["schema_version", "micro_step", "micro_sequence_idx", "run_id"],
];
const ALIGNED = [
  "trainer_logprobs",
  "loss_mask",
  "token_ids",
  "position_ids",
  "advantages",
  "rewards",
  "entropy",
] as const;

type Aligned = (typeof ALIGNED)[number] | "inference_logprobs" | FurtherField;

/** The columns of a row, if they fit together. */
function readColumns(chunk: RowChunk, i: number): Map<Aligned, NumericArray> | Unavailable {
  const columns = new Map<Aligned, NumericArray>();
  const rollout = toNumbers(chunk.get(i, "inference_logprobs"));
  if (rollout === undefined) return new Unavailable("no inference_logprobs");
  columns.set("inference_logprobs", rollout);
  const further = findFurther((name) => toNumbers(chunk.get(i, name)) !== undefined);
  for (const [field, name] of [...ALIGNED.map((one) => [one, one] as const), ...further]) {
    const values = toNumbers(chunk.get(i, name));
    if (values === undefined) {
      if (name === "trainer_logprobs" || name === "loss_mask") return new Unavailable(`no ${name}`);
      continue;
    }
    if (values.length !== rollout.length) {
      return new Unavailable(
        `${name} has ${plural(values.length, "value")}, inference_logprobs has ${rollout.length}`,
      );
    }
    columns.set(field, values);
  }
  return columns;
}

/** The value of a sequence, from a per-token column that repeats it; undefined if there is none. */
function firstNumber(values: NumericArray | undefined): number | undefined {
  return values?.find((value) => !Number.isNaN(value));
}

function toDraft(columns: Map<Aligned, NumericArray>, chunk: RowChunk, i: number): SequenceDraft {
  const mask = columns.get("loss_mask")!;
  const start = responseStart(mask);
  const cut = (name: Aligned): NumericArray | undefined => columns.get(name)?.subarray(start);
  const entropy = cut("entropy");
  const [rescore, float32] = [cut("rescore"), cut("float32")];
  const ids = columns.get("token_ids");
  const micro = [toNumber(chunk.get(i, "micro_step")), toNumber(chunk.get(i, "micro_sequence_idx"))];
  return {
    length: mask.length - start,
    responseMask: mask.subarray(start),
    rolloutLogprobs: cut("inference_logprobs"),
    trainerLogprobs: cut("trainer_logprobs"),
    responseTokenIds: cut("token_ids"),
    promptTokenIds: ids?.subarray(0, start),
    positionIds: cut("position_ids"),
    advantages: cut("advantages"),
    policyLogprobs: { ...(rescore && { rescore }), ...(float32 && { float32 }) },
    entropies: entropy && { trainer: entropy },
    reward: firstNumber(cut("rewards")),
    step: toNumber(chunk.get(i, "step")),
    rank: toNumber(chunk.get(i, "rank")),
    row: chunk.firstRow + i,
    pack: micro[0] ?? 0,
    sampleId: micro.every((part) => part !== undefined) ? micro.join(".") : undefined,
    environment: toText(chunk.get(i, "env_name")),
    sourceOffset: chunk.offset?.(i) ?? chunk.line?.(i),
  };
}

async function* readBlocks(
  document: RowDocument,
  { findings }: AdapterContext,
): AsyncGenerator<readonly SequenceDraft[]> {
  const { file } = document;
  for await (const chunk of document.chunks({
    columns: COLUMNS,
    onBadRow: (bad) => reportBadRow(findings, file, bad),
  })) {
    const drafts: SequenceDraft[] = [];
    for (let i = 0; i < chunk.length; i++) {
      const columns = readColumns(chunk, i);
      if (columns instanceof Unavailable) {
        const line = chunk.line && { line: chunk.line(i) };
        reportBadRow(findings, file, { row: chunk.firstRow + i, ...line, message: columns.why });
      } else drafts.push(toDraft(columns, chunk, i));
    }
    yield drafts;
  }
}

export const primeRl: Adapter = {
  name: "prime-rl",
  // Written when all ranks have finished the step.
  completeWhen: "STABLE",
  async detect(document) {
    if (document.kind !== "rows") return undefined;
    const row = document.sample.find((sample) => sample.inference_logprobs !== undefined);
    if (row === undefined || row.trainer_logprobs === undefined || row.loss_mask === undefined)
      return undefined;
    const names = Object.keys(LABELS);
    const further = findFurther((name) => row[name] !== undefined);
    const version = toNumber(row.schema_version);
    const newer = version !== undefined && version > KNOWN_VERSION;
    return {
      score: row.schema_version === undefined ? 0.85 : 0.95,
      found: [
        ...names
          .filter((name) => row[name] !== undefined)
          .map((name) => `${LABELS[name]}: ${name}, ${describeRowValue(row[name])}`),
        ...further.map(([field, name]) => `${FIELD_LABELS[field]}: ${name}, ${describeRowValue(row[name])}`),
      ],
      guessed: ["responses begin at the first token with loss_mask true"],
      missing: names.filter((name) => row[name] === undefined).map((name) => LABELS[name]!),
      step: agreedNumber(document, ["step"]),
      rank: agreedNumber(document, ["rank"]),
      problem: newer
        ? new UnsupportedError(
            `prime-rl token export has schema_version ${version}; logratio knows ${KNOWN_VERSION}`,
            {
              at: { file: document.file },
              hint: "name the columns yourself: --rollout inference_logprobs --trainer trainer_logprobs --mask loss_mask",
            },
          )
        : undefined,
    };
  },
  async read(document, context) {
    return { alignment: "token", sampling: {}, blocks: readBlocks(document as RowDocument, context) };
  },
};
