import { LengthMismatchError, orNull } from "../../core/base/index.ts";
import { FIELDS, mismatchSums, type TokenBlock } from "../../core/kernels/index.ts";
import { ClusterSums, KeyHash, RatioTails, readIdentity, sumSurprisal } from "../../core/summaries/index.ts";
import { packPadded } from "../../trainers/index.ts";
import { encodedNumber, type Fields, paddedBatch, type Runner } from "./case.ts";

export const identityRunners: Readonly<Record<string, Runner>> = {
  identity: (inputs) => testIdentity(inputs),
};

function testIdentity(inputs: Fields): Fields {
  const block = packPadded(paddedBatch(inputs));
  const rows = block.offsets.length - 1;
  const groups = listOrNull(inputs, "group_ids", rows);
  const entropies = listOrNull(inputs, "rollout_entropy", rows);
  const entropy = entropies && packEntropies(entropies, block);
  const clusters = new ClusterSums(Number.POSITIVE_INFINITY);
  const tails = new RatioTails();
  const table = mismatchSums(block, {
    engine: "scalar",
    turns: false,
    sink: (tokens) => tails.addTokens(tokens, block.rollout, block.trainer),
  });
  for (let row = 0; row < rows; row++) {
    const key = groups ? new KeyHash().addText(String(groups[row])) : new KeyHash().addWord(row);
    const [from, to] = [block.offsets[row]!, block.offsets[row + 1]!];
    const surprisal = entropy && sumSurprisal(block, entropy, from, to);
    clusters.add(key.key(), groups !== undefined, table.rows, row * FIELDS, { surprisal });
    tails.addSequence(table.rows, row * FIELDS);
  }
  const { unitMean, halfVariance, surprisal } = readIdentity(clusters);
  const { ratio, inverse, sequence } = tails.indices();
  return {
    identity: {
      unit_mean: { value: encodedOrNull(unitMean.value), z: encodedOrNull(unitMean.z) },
      half_variance: { value: encodedOrNull(halfVariance) },
      surprisal: entropy ? { value: encodedOrNull(surprisal?.value), z: encodedOrNull(surprisal?.z) } : null,
    },
    trust: {
      khat_ratio: encodedOrNull(ratio),
      khat_inverse: encodedOrNull(inverse),
      khat_sequence: encodedOrNull(sequence),
    },
  };
}

function listOrNull(inputs: Fields, name: string, rows: number): readonly unknown[] | undefined {
  const list = inputs[name];
  if (!Array.isArray(list)) return undefined;
  if (list.length === rows) return list;
  throw new LengthMismatchError(
    `cannot run the case: inputs.${name} has ${list.length} entries, rollout_log_probs ${rows} rows`,
    { found: list.length, expected: rows },
  );
}

function packEntropies(rows: readonly unknown[], { offsets }: TokenBlock): Float64Array {
  const packed = new Float64Array(offsets[rows.length]!).fill(Number.NaN);
  rows.forEach((row, i) => {
    if (Array.isArray(row)) packed.set(row.slice(0, offsets[i + 1]! - offsets[i]!).map(Number), offsets[i]);
  });
  return packed;
}

function encodedOrNull(value = Number.NaN): number | string | null {
  return orNull(value) === null ? null : encodedNumber(value);
}
