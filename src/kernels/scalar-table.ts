import { k3Of, probDiffOf, tokenSums } from "./scalar.ts";
import { tableBuilder } from "./table.ts";
import { checkedRows, type MismatchOptions, type MismatchTable, type TokenBlock } from "./token-block.ts";

/** The table of `mismatchSums`, turn by turn from the plain twin. Same arguments, same errors. */
export function scalarMismatchSums(block: TokenBlock, options: MismatchOptions = {}): MismatchTable {
  const { rowStart, rowEnd } = checkedRows(block, options);
  const { rollout, trainer, mask, offsets } = block;
  const { turns = true, sink } = options;
  const table = tableBuilder(rowEnd - rowStart);
  for (let row = rowStart; row < rowEnd; row++) {
    const from = offsets[row]!;
    const to = offsets[row + 1]!;
    for (const stretch of turns ? turnsOf(mask, from, to) : [{ turn: 0, from, to }]) {
      const sums = tokenSums(rollout, trainer, mask, stretch.from, stretch.to);
      table.addToRow(row - rowStart, sums);
      if (turns) {
        table.openTurn(row - rowStart);
        table.addToTurn(stretch.turn, sums);
      }
      if (sink) lendTokens(block, stretch, sink);
    }
  }
  return table.finish();
}

interface Stretch {
  readonly turn: number;
  readonly from: number;
  readonly to: number;
}

/** The turns (runs of mask 1) of the row `[start, end)`, in order. */
export function* turnsOf(mask: Uint8Array, start: number, end: number): Generator<Stretch> {
  let from = start;
  for (let turn = 0; ; turn++) {
    while (from < end && mask[from] === 0) from++;
    if (from >= end) return;
    let to = from;
    while (to < end && mask[to] !== 0) to++;
    yield { turn, from, to };
    from = to;
  }
}

/** `[end - start]`: number of the turn from 1 (at most 65,535), 0 between turns. */
export function turnNumbers(mask: Uint8Array, start: number, end: number): Uint16Array {
  const numbers = new Uint16Array(end - start);
  for (const { turn, from, to } of turnsOf(mask, start, end))
    numbers.fill(Math.min(turn + 1, 65_535), from - start, to - start);
  return numbers;
}

const LENT = 4096;

function lendTokens(
  { rollout, trainer, mask }: TokenBlock,
  { turn, from, to }: Stretch,
  sink: NonNullable<MismatchOptions["sink"]>,
): void {
  const tokens = {
    delta: new Float32Array(LENT),
    probDiff: new Float32Array(LENT),
    k3: new Float32Array(LENT),
    index: new Int32Array(LENT),
    turn: new Int32Array(LENT).fill(turn),
  };
  let count = 0;
  for (let i = from; i < to; i++) {
    const a = rollout[i]!;
    const b = trainer[i]!;
    if (mask[i] === 0 || !Number.isFinite(a) || !Number.isFinite(b)) continue;
    tokens.delta[count] = b - a;
    tokens.probDiff[count] = probDiffOf(a, b);
    tokens.k3[count] = k3Of(b - a);
    tokens.index[count] = i;
    count++;
    if (count === LENT) {
      sink({ count, ...tokens });
      count = 0;
    }
  }
  if (count > 0) sink({ count, ...tokens });
}
