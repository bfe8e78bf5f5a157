/**
 * open-instruct's files of log-probs:
 *
 * - `{run}_rollouts_{shard}.jsonl` (`save_traces` with `rollouts_save_path`): one response per line with the engine's
 *   log-probs; NaN where vLLM gave none (an end-of-text token that was appended). Tool tokens are not marked.
 *   `RolloutRecord` of `open_instruct/rl_utils.py`, commit e6c3044a.
 * - `{run}_trainer_logprobs_step{N}_rank{r}.jsonl` (`save_trainer_logprobs`, on by default on the branches for agents):
 *   one pack per line with both policies, shifted to the token that they score, as are its ids and its mask;
 *   `attention_mask` numbers the sequences of the pack. `_save_trainer_logprobs` of `open_instruct/rl_utils.py`.
 *
 * @module
 */
import { MissingSideError } from "../../../core/base/index.ts";
import type { Adapter, Match } from "../../../input/adapters/adapter.ts";
import {
  EXPLAINED_FIELDS,
  FURTHER_NAMES,
  listFound,
  listMissing,
  type NameTable,
} from "../../../input/adapters/shared/fields.ts";
import { hookLines } from "../../../input/adapters/shared/hook-lines.ts";
import { nameMasks } from "../../../input/adapters/shared/masks.ts";
import { missingPolicy } from "../../../input/adapters/shared/missing-side.ts";
import { agreedNumber, findRowColumns, readRows } from "../../../input/adapters/shared/row-objects.ts";
import { describeRowValue, toNumber } from "../../../input/adapters/shared/row-values.ts";
import type { RowDocument, RowMap } from "../../../input/io/index.ts";

const NAMES: NameTable = {
  rollout: ["logprobs"],
  ...FURTHER_NAMES,
  tokens: ["response_tokens"],
  prompt: ["prompt_tokens"],
  reward: ["reward"],
  advantages: ["advantage"],
  group: ["prompt_idx"],
  sample: ["sample_idx"],
  environment: ["dataset"],
  finishReason: ["finish_reason"],
  step: ["step"],
};
const TRAINED: NameTable = {
  rollout: ["vllm_logprobs"],
  trainer: ["trainer_logprobs"],
  ...FURTHER_NAMES,
  tokens: ["token_ids"],
  inputIds: ["input_token_ids"],
  mask: ["response_mask"],
  attention: ["attention_mask"],
  step: ["step"],
  rank: ["rank"],
};
const NEEDED = ["prompt_tokens", "response_tokens"];
/** At least one of these occurs with the ids: versions differ in what they write. */
const TELLING = ["finish_reason", "sample_idx"];

/** A row of the trainer's file: no other has the offset by which log-probs are shifted. */
function isTrained(row: RowMap): boolean {
  return "trainer_logprobs" in row && "logprob_token_offset" in row;
}

function matchTrained(document: RowDocument): Match {
  const columns = findRowColumns(document, TRAINED);
  const slices = Math.max(...document.sample.map((row) => toNumber(row.sp_size) ?? 1));
  const error = missingPolicy({
    what: "open-instruct's file of trainer log-probs",
    has: "trainer",
    file: document.file,
    likely: "the rollout engine returned no log-probs",
    hint: ["make open-instruct write both:", ...hookLines("open-instruct")],
  });
  return {
    score: 0.9,
    found: listFound(columns, describeRowValue),
    guessed: [
      "attention_mask numbers the sequences of a pack, and each response begins at its first token with mask 1",
      ...(slices > 1
        ? [`each row is one of ${slices} slices of a pack (sp_size): sequences are cut where slices meet`]
        : []),
    ],
    missing: listMissing(columns, EXPLAINED_FIELDS),
    step: agreedNumber(document, TRAINED.step),
    rank: agreedNumber(document, TRAINED.rank),
    ...(!columns.has("rollout") && {
      onePolicy: { has: "trainer", what: "open-instruct's trainer log-probs", error } as const,
    }),
  };
}

function matchRollouts(document: RowDocument): Match {
  const columns = findRowColumns(document, NAMES);
  const hasRollout = columns.has("rollout");
  const error = new MissingSideError(
    `open-instruct's rollout file holds ${hasRollout ? "the rollout policy's log-probs only: the trainer side is missing" : "token ids only: neither policy's log-probs are in it"}`,
    {
      at: { file: document.file },
      likely: "this is what save_traces writes",
      hint: ["make open-instruct write both:", ...hookLines("open-instruct")],
    },
  );
  return {
    score: 0.9,
    found: listFound(columns, describeRowValue),
    guessed: ["response mask: not present, so tool tokens with a log-prob count as sampled"],
    missing: listMissing(columns, EXPLAINED_FIELDS),
    step: agreedNumber(document, NAMES.step),
    ...(hasRollout
      ? { onePolicy: { has: "rollout", what: "open-instruct rollouts", error } as const }
      : { problem: error }),
  };
}

export const openInstruct: Adapter = {
  name: "open-instruct",
  async detect(document) {
    if (document.kind !== "rows") return undefined;
    if (document.sample.some(isTrained)) return matchTrained(document);
    const isRollout = (row: RowMap): boolean =>
      NEEDED.every((name) => name in row) && TELLING.some((name) => name in row);
    return document.sample.some(isRollout) ? matchRollouts(document) : undefined;
  },
  async read(document, { findings }) {
    if (document.kind !== "rows") throw new TypeError("open-instruct writes rows");
    const names = document.sample.some(isTrained) ? TRAINED : NAMES;
    return {
      alignment: "token",
      masks: nameMasks(findRowColumns(document, names)),
      sampling: {},
      blocks: readRows(document, { names, findings }),
    };
  },
};
