import { computeK3, computeProbDiff, tokenSums } from "./scalar.ts";
import { tableBuilder } from "./table.ts";
import { checkedRows, type MismatchOptions, type MismatchTable, type TokenBlock } from "./token-block.ts";
import { iterateTurns, type Turn } from "./turns.ts";

/**
 * The table of `mismatchSums`, computed turn by turn with the reference implementation. Same arguments, same errors.
 */
export function scalarMismatchSums(block: TokenBlock, options: MismatchOptions = {}): MismatchTable {
  const { rowStart, rowEnd } = checkedRows(block, options);
  const { rollout, trainer, mask, turnMask, offsets } = block;
  const { turns = true, sink } = options;
  const table = tableBuilder(rowEnd - rowStart);
  for (let row = rowStart; row < rowEnd; row++) {
    const from = offsets[row]!;
    const to = offsets[row + 1]!;
    for (const stretch of turns ? iterateTurns(turnMask ?? mask, from, to) : [{ turn: 0, from, to }]) {
      if (turnMask !== undefined && mask.subarray(stretch.from, stretch.to).every((value) => value === 0))
        continue;
      const sums = tokenSums(rollout, trainer, mask, stretch.from, stretch.to);
      table.addToRow(row - rowStart, sums);
      if (turns) {
        table.openTurn(row - rowStart, stretch.turn);
        table.addToTurn(stretch.turn, sums);
      }
      if (sink) lendTokens(block, stretch, sink);
    }
  }
  return table.finish();
}

const LENT = 4096;

function lendTokens(
  { rollout, trainer, mask }: TokenBlock,
  { turn, from, to }: Turn,
  sink: NonNullable<MismatchOptions["sink"]>,
): void {
  const most = Math.min(LENT, to - from);
  const tokens = {
    delta: new Float32Array(most),
    probDiff: new Float32Array(most),
    k3: new Float32Array(most),
    index: new Int32Array(most),
    turn: new Int32Array(most).fill(turn),
  };
  let count = 0;
  for (let i = from; i < to; i++) {
    const a = rollout[i]!;
    const b = trainer[i]!;
    if (mask[i] === 0 || !Number.isFinite(a) || !Number.isFinite(b)) continue;
    tokens.delta[count] = b - a;
    tokens.probDiff[count] = computeProbDiff(a, b);
    tokens.k3[count] = computeK3(b - a);
    tokens.index[count] = i;
    count++;
    if (count === most) {
      sink({ count, ...tokens });
      count = 0;
    }
  }
  if (count > 0) sink({ count, ...tokens });
}
