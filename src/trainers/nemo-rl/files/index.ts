/**
 * NeMo-RL: `train_data_step{N}.jsonl`, one line per sample, each value in a list of one. Prompt and response form one
 * array, padded to the longest of the batch; entry i is about token i, and entry 0 is a dummy.
 *
 * Written by `log_batched_dict_as_jsonl` (`nemo_rl/utils/logger.py`) from `grpo.py` and `ppo.py`, commit 7ea279ab.
 *
 * @module
 */

import type { NumericArray } from "../../../core/base/index.ts";
import type { SequenceDraft } from "../../../core/schema/index.ts";
import { plural } from "../../../core/text/index.ts";
import type { Adapter, AdapterContext } from "../../../input/adapters/adapter.ts";
import { responseStart } from "../../../input/adapters/shared/conversation.ts";
import { FIELD_LABELS, FURTHER_COLUMNS, findFurther } from "../../../input/adapters/shared/fields.ts";
import { reportBadRow } from "../../../input/adapters/shared/row-objects.ts";
import {
  describeRowValue,
  isRowList,
  toNumber,
  toNumbers,
  toText,
} from "../../../input/adapters/shared/row-values.ts";
import type { RowChunk, RowDocument, RowValue } from "../../../input/io/index.ts";
import { matchGolden, readGolden } from "./golden.ts";

const LABELS: Readonly<Record<string, string>> = {
  generation_logprobs: "rollout log-probs",
  prev_logprobs: "trainer log-probs",
  token_loss_mask: "response mask",
  token_ids: "prompt and response token ids",
  input_lengths: "lengths without padding",
  sample_loss_mask: "samples trained on",
  rewards: "reward",
  advantages: "advantages",
  content: "text of the messages",
};
const COLUMNS = [...Object.keys(LABELS), ...FURTHER_COLUMNS.map(([, name]) => name), "agent_ref", "idx"];

/** Unwraps a list of one; any other value is returned unchanged. */
function unwrap(value: RowValue | undefined): RowValue | undefined {
  return isRowList(value) && value.length === 1 ? value[0] : value;
}

/** The messages of a sample: the first as the prompt, the others joined. */
function texts(value: RowValue | undefined): { promptText?: string; responseText?: string } {
  const content = unwrap(value);
  if (typeof content === "string") return { responseText: content };
  if (!isRowList(content)) return {};
  const messages = content.map(toText);
  if (messages.some((message) => message === undefined)) return {};
  return messages.length < 2 ? {} : { promptText: messages[0]!, responseText: messages.slice(1).join("") };
}

interface RowFields {
  readonly rollout: NumericArray;
  readonly trainer: NumericArray;
  readonly mask: NumericArray;
  readonly ids: NumericArray | undefined;
  readonly advantages: NumericArray | undefined;
  /** By policy. */
  readonly further: Readonly<Record<string, NumericArray>>;
}

/** The five whole-conversation columns of a row, or why they do not fit together. */
function readFields(chunk: RowChunk, i: number): RowFields | string {
  const get = (name: string): NumericArray | undefined => toNumbers(unwrap(chunk.get(i, name)));
  const rollout = get("generation_logprobs");
  const trainer = get("prev_logprobs");
  const mask = get("token_loss_mask");
  if (rollout === undefined) return "no generation_logprobs";
  if (trainer === undefined) return "no prev_logprobs";
  if (mask === undefined) return "no token_loss_mask";
  const ids = get("token_ids");
  const advantages = get("advantages");
  const further = findFurther((name) => get(name) !== undefined);
  for (const [name, values] of Object.entries({
    prev_logprobs: trainer,
    token_loss_mask: mask,
    token_ids: ids,
    ...Object.fromEntries(further.map(([, name]) => [name, get(name)])),
  })) {
    if (values !== undefined && values.length !== rollout.length) {
      return `${name} has ${plural(values.length, "value")}, generation_logprobs has ${rollout.length}`;
    }
  }
  return {
    rollout,
    trainer,
    mask,
    ids,
    further: Object.fromEntries(further.map(([field, name]) => [field, get(name)!])),
    advantages: advantages?.length === rollout.length ? advantages : undefined,
  };
}

function toDraft(fields: RowFields, chunk: RowChunk, i: number): SequenceDraft {
  const { rollout, trainer, mask, ids, advantages, further } = fields;
  const declared = toNumber(unwrap(chunk.get(i, "input_lengths")));
  const end =
    declared !== undefined && declared >= 0 && declared <= rollout.length ? declared : rollout.length;
  const start = responseStart(mask, end);
  const cut = (values: NumericArray | undefined): NumericArray | undefined => values?.subarray(start, end);
  const agent = unwrap(chunk.get(i, "agent_ref"));
  return {
    length: end - start,
    responseMask: mask.subarray(start, end),
    rolloutLogprobs: cut(rollout),
    trainerLogprobs: cut(trainer),
    policyLogprobs: Object.fromEntries(
      Object.entries(further).map(([policy, values]) => [policy, values.subarray(start, end)]),
    ),
    responseTokenIds: cut(ids),
    promptTokenIds: ids?.subarray(0, start),
    advantages: cut(advantages) ?? toNumber(unwrap(chunk.get(i, "advantages"))),
    reward: toNumber(unwrap(chunk.get(i, "rewards"))),
    row: chunk.firstRow + i,
    sourceOffset: chunk.offset?.(i) ?? chunk.line?.(i),
    environment: toText(agent) ?? agentName(agent),
    ...texts(chunk.get(i, "content")),
  };
}

function agentName(agent: RowValue | undefined): string | undefined {
  return typeof agent === "object" && agent !== null && "name" in agent ? toText(agent.name) : undefined;
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
      const row = chunk.firstRow + i;
      const fields = readFields(chunk, i);
      if (typeof fields === "string") {
        reportBadRow(findings, file, { row, ...(chunk.line && { line: chunk.line(i) }), message: fields });
        continue;
      }
      if (toNumber(unwrap(chunk.get(i, "sample_loss_mask"))) === 0) {
        findings.add({
          code: "note",
          severity: "info",
          subject: "sample_loss_mask",
          count: 1,
          at: { file, row },
          describe: (count) =>
            `${plural(count, "sample has", "samples have")} sample_loss_mask 0: not trained on, but counted here`,
        });
      }
      drafts.push(toDraft(fields, chunk, i));
    }
    yield drafts;
  }
}

export const nemoRl: Adapter = {
  name: "nemo-rl",
  async detect(document) {
    if (document.kind !== "rows") return matchGolden(document);
    const row = document.sample.find((sample) => sample.generation_logprobs !== undefined);
    if (row === undefined || row.prev_logprobs === undefined || row.token_loss_mask === undefined)
      return undefined;
    const names = Object.keys(LABELS);
    const further = findFurther((name) => row[name] !== undefined);
    const found = [
      ...names.map((name) => [name, LABELS[name]] as const),
      ...further.map(([field, name]) => [name, FIELD_LABELS[field]] as const),
    ];
    return {
      score: 0.95,
      found: found
        .filter(([name]) => row[name] !== undefined)
        .map(([name, label]) => `${label}: ${name}, ${describeRowValue(unwrap(row[name]))}`),
      guessed: [
        "responses begin at the first token with token_loss_mask 1",
        ...(isRowList(unwrap(row.content)) ? ["prompt text: the first message of content"] : []),
      ],
      missing: names.filter((name) => row[name] === undefined).map((name) => LABELS[name]!),
    };
  },
  async read(document, context) {
    const blocks = document.kind === "tree" ? readGolden(document) : readBlocks(document, context);
    return { alignment: "token", sampling: {}, blocks };
  },
};
