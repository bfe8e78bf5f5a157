import { SchemaError } from "../../core/base/index.ts";
import { compareRows } from "../../core/kernels/distribution/index.ts";
import type { LogitBlock } from "../../core/kernels/index.ts";
import { type Fields, numbers, type Runner, values } from "./case.ts";

export const klRunners: Readonly<Record<string, Runner>> = { kl: exactDivergences };

const TOP = 5;

/** `logits_p` and `logits_q` `[T, V]`: P is the checkpoint, Q the reference. */
function exactDivergences(inputs: Fields): Fields {
  const [p, q] = [readBlock(inputs, "logits_p"), readBlock(inputs, "logits_q")];
  const k = Math.min(TOP, p.vocabulary);
  const unknown = new Int32Array(p.rows).fill(-1);
  const { p: ofP, q: ofQ, divergences } = compareRows(p, q, unknown, k);
  const splitRows = <T>(column: ArrayLike<T>): T[][] =>
    Array.from({ length: p.rows }, (_, row) => Array.from({ length: k }, (_, i) => column[row * k + i] as T));
  return {
    exact: {
      kl_forward: values(divergences.forwardKl),
      kl_reverse: values(divergences.reverseKl),
      js: values(divergences.jsDivergence),
      entropy_p: values(ofP.entropies),
      entropy_q: values(ofQ.entropies),
      entropy_p_normalized: values(ofP.entropies.map((entropy) => entropy / Math.log(p.vocabulary))),
      total_variation: values(divergences.totalVariation),
      top5_p_ids: splitRows(ofP.topIds),
      top5_p_logprobs: splitRows(values(ofP.topLogprobs)),
    },
  };
}

function readBlock(inputs: Fields, name: string): LogitBlock {
  const list = inputs[name];
  if (!Array.isArray(list))
    throw new SchemaError(`cannot run the case: inputs.${name} is not a list of rows`);
  const rows = list.map(numbers);
  const vocabulary = rows[0]?.length ?? 0;
  const odd = rows.findIndex((row) => row.length !== vocabulary);
  if (odd >= 0) {
    throw new SchemaError(
      `cannot run the case: row ${odd} of inputs.${name} has ${rows[odd]!.length} columns, row 0 has ${vocabulary}`,
    );
  }
  return { format: "float32", values: Float32Array.from(rows.flat()), rows: rows.length, vocabulary };
}
