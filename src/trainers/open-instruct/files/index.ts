/**
 * open-instruct rollouts (`save_traces` with `rollouts_save_path`): `{run}_rollouts_{shard}.jsonl`, one response per line
 * with the engine's log-probs; NaN where vLLM gave none (an end-of-text token that was appended). `RolloutRecord` of
 * `open_instruct/rl_utils.py`, commit e6c3044a. Tool tokens are not marked.
 *
 * @module
 */
import { MissingSideError } from "../../../core/base/index.ts";
import type { Adapter } from "../../../input/adapters/adapter.ts";
import {
  EXPLAINED_FIELDS,
  FURTHER_NAMES,
  listFound,
  listMissing,
  type NameTable,
} from "../../../input/adapters/shared/fields.ts";
import { hookLines } from "../../../input/adapters/shared/hook-lines.ts";
import { agreedNumber, findRowColumns, readRows } from "../../../input/adapters/shared/row-objects.ts";
import { describeRowValue } from "../../../input/adapters/shared/row-values.ts";
import type { RowMap } from "../../../input/io/index.ts";

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
const NEEDED = ["prompt_tokens", "response_tokens"];
/** At least one of these occurs with the ids: versions differ in what they write. */
const TELLING = ["finish_reason", "sample_idx"];

export const openInstruct: Adapter = {
  name: "open-instruct",
  async detect(document) {
    if (document.kind !== "rows") return undefined;
    const { sample, file } = document;
    const isRollout = (row: RowMap): boolean =>
      NEEDED.every((name) => name in row) && TELLING.some((name) => name in row);
    if (!sample.some(isRollout)) return undefined;
    const columns = findRowColumns(document, NAMES);
    const hasRollout = columns.has("rollout");
    const error = new MissingSideError(
      `open-instruct's rollout file holds ${hasRollout ? "the rollout policy's log-probs only: the trainer side is missing" : "token ids only: neither policy's log-probs are in it"}`,
      {
        at: { file },
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
  },
  async read(document, { findings }) {
    if (document.kind !== "rows") throw new TypeError("open-instruct writes rows");
    return { alignment: "token", sampling: {}, blocks: readRows(document, { names: NAMES, findings }) };
  },
};
