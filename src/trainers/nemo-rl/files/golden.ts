/**
 * NeMo-RL's loss goldens (`tests/unit/algorithms/data/clipped_pg_loss_goldens.json`, commit 10cedfeb): the inputs of its
 * loss tests, under `base_inputs`, prompt and response together, entry i about token i.
 *
 * @module
 */
import type { NumericArray } from "../../../core/base/index.ts";
import type { SequenceDraft } from "../../../core/schema/index.ts";
import type { Match } from "../../../input/adapters/adapter.ts";
import { responseStart } from "../../../input/adapters/shared/conversation.ts";
import { asMatrix, describeValue, isMap, readNumbers } from "../../../input/adapters/shared/tree-values.ts";
import type { TreeDocument, TreeMap } from "../../../input/io/index.ts";

const LABELS: ReadonlyMap<string, string> = new Map([
  ["generation_logprobs", "rollout log-probs"],
  ["prev_logprobs", "trainer log-probs"],
  ["reference_policy_logprobs", "reference log-probs"],
  ["token_mask", "response mask"],
  ["input_ids", "prompt and response token ids"],
  ["rewards", "reward"],
]);

function findInputs({ root }: TreeDocument): TreeMap | undefined {
  const inputs = root.base_inputs;
  if (!isMap(inputs)) return undefined;
  const needed = ["generation_logprobs", "prev_logprobs", "token_mask", "input_ids"];
  return needed.every((name) => asMatrix(inputs[name]) !== undefined) ? inputs : undefined;
}

export function matchGolden(document: TreeDocument): Match | undefined {
  const inputs = findInputs(document);
  if (inputs === undefined) return undefined;
  const present = [...LABELS].filter(([name]) => inputs[name] !== undefined);
  return {
    score: 0.9,
    found: present.map(([name, label]) => `${label}: base_inputs.${name}, ${describeValue(inputs[name])}`),
    guessed: ["handmade inputs of a loss test; its cases and their results are not read"],
    missing: [...LABELS].filter(([name]) => inputs[name] === undefined).map(([, label]) => label),
  };
}

export async function* readGolden(document: TreeDocument): AsyncGenerator<readonly SequenceDraft[]> {
  const inputs = findInputs(document)!;
  const rows = asMatrix(inputs.input_ids)!.rows;
  const read = async (name: string): Promise<readonly NumericArray[] | undefined> => {
    const matrix = asMatrix(inputs[name]);
    return matrix?.rows === rows ? matrix.readRows(0, rows) : undefined;
  };
  const [rollout, trainer] = [await read("generation_logprobs"), await read("prev_logprobs")];
  const [masks, ids] = [await read("token_mask"), await read("input_ids")];
  const [reference, advantages] = [await read("reference_policy_logprobs"), await read("advantages")];
  const rewards = await readNumbers(inputs.rewards, rows);
  yield Array.from({ length: rows }, (_, row): SequenceDraft => {
    const mask = masks![row]!;
    const start = responseStart(mask);
    const cut = (values: readonly NumericArray[] | undefined): NumericArray | undefined =>
      values?.[row]?.subarray(start);
    const base = cut(reference);
    return {
      length: mask.length - start,
      responseMask: mask.subarray(start),
      rolloutLogprobs: cut(rollout),
      trainerLogprobs: cut(trainer),
      responseTokenIds: cut(ids),
      promptTokenIds: ids![row]!.subarray(0, start),
      policyLogprobs: base === undefined ? {} : { reference: base },
      advantages: cut(advantages),
      reward: rewards?.[row],
      row,
    };
  });
}
