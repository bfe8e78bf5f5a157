/**
 * Successive permutations of values within blocks, and the sums of their groups: plain loops, and bit-identical in
 * WebAssembly.
 *
 * @module
 */
import { type PermutationsKernel, permutationsKernel } from "../kernels/wasm/permutations-kernel.ts";
import { nextState, skipStates, toInteger } from "./random.ts";

export interface GroupedUnits {
  /** `[units]`: what is summed, such as e = Σ|Δ| − R·n for a prompt (R: mean |Δ| of the run, n: its tokens). */
  readonly values: Float64Array;
  /** `[units]`: the group of each, from 0. */
  readonly groups: Int32Array;
  readonly groupCount: number;
  /**
   * `[blocks + 1]`: units are permuted only within `[blocks[i], blocks[i + 1])`, such as the turns of one sequence.
   * Blocks cover all units; default one block.
   */
  readonly blocks?: Int32Array;
}

export interface Permuter {
  /** Largest number of permutations made at once. */
  readonly round: number;
  /** `[count × groups]`: the sums of the next permutations, which the next call overwrites. @param count up to `round` */
  next(count: number): Float64Array;
}

/** @param seed the same seed gives the same permutations */
export function createPermuter(units: GroupedUnits, seed: number): Permuter {
  const kernel = permutationsKernel();
  const pieces = kernel && cutPieces(units, kernel);
  return pieces === undefined ? permutePlainly(units, seed) : permuteInKernel(units, seed, pieces, kernel!);
}

/** The reference implementation. */
export function permutePlainly(units: GroupedUnits, seed: number): Permuter {
  const { groups, groupCount } = units;
  const blocks = listBlocks(units);
  const values = units.values.slice();
  const sums = new Float64Array(groupCount);
  let state = seed | 0;
  return {
    round: 1,
    next() {
      sums.fill(0);
      for (let block = 0; block + 1 < blocks.length; block++)
        state = permuteBlock(values, { groups, sums }, blocks[block]!, blocks[block + 1]!, state);
      return sums;
    },
  };
}

/** Fisher and Yates; adds a value once its place is final. Takes and returns the state of the random numbers. */
function permuteBlock(
  values: Float64Array,
  { groups, sums }: { readonly groups: Int32Array; readonly sums: Float64Array },
  from: number,
  to: number,
  before: number,
): number {
  let state = before;
  for (let left = to - from; left > 0; left--) {
    const last = from + left - 1;
    let taken = values[last]!;
    if (left > 1) {
      state = nextState(state);
      const other = from + toInteger(state, left);
      const value = taken;
      taken = values[other]!;
      values[other] = value;
      values[last] = taken;
    }
    const group = groups[last]!;
    sums[group] = sums[group]! + taken;
  }
  return state;
}

export function listBlocks({ values, blocks }: GroupedUnits): Int32Array {
  return blocks ?? Int32Array.of(0, values.length);
}

/** Units per piece, unless one block has more: everything that a permutation of them touches fits the first cache. */
const PIECE = 1024;

/** Blocks `[first, end)`. */
interface Piece {
  readonly first: number;
  readonly end: number;
  /** Random numbers that a permutation draws before these blocks, and for them. */
  readonly drawsBefore: number;
  readonly draws: number;
}

/** Cuts the blocks into pieces; undefined if the kernel has no room for them. */
function cutPieces(units: GroupedUnits, { chunk, mostGroups }: PermutationsKernel): Piece[] | undefined {
  if (units.groupCount > mostGroups) return undefined;
  const blocks = listBlocks(units);
  const pieces: Piece[] = [];
  let drawsBefore = 0;
  for (let first = 0; first + 1 < blocks.length; ) {
    let end = first;
    let draws = 0;
    do {
      draws += Math.max(0, blocks[end + 1]! - blocks[end]! - 1);
      end++;
    } while (end + 1 < blocks.length && blocks[end + 1]! - blocks[first]! <= PIECE && end - first < PIECE);
    if (blocks[end]! - blocks[first]! > chunk) return undefined;
    pieces.push({ first, end, drawsBefore, draws });
    drawsBefore += draws;
    first = end;
  }
  return pieces;
}

/** Piece by piece, because the random numbers for a piece can be found without drawing those for the others. */
function permuteInKernel(
  units: GroupedUnits,
  seed: number,
  pieces: readonly Piece[],
  kernel: PermutationsKernel,
): Permuter {
  const { groups, groupCount } = units;
  const blocks = listBlocks(units);
  const values = units.values.slice();
  const draws = pieces.reduce((sum, piece) => sum + piece.draws, 0);
  const stride = skipStates(0, draws);
  let state = seed | 0;
  return {
    round: kernel.round,
    next(count) {
      kernel.sums.fill(0, 0, count * groupCount);
      for (const piece of pieces) {
        const [from, to] = [blocks[piece.first]!, blocks[piece.end]!];
        kernel.values.set(values.subarray(from, to));
        kernel.groups.set(groups.subarray(from, to));
        for (let block = piece.first; block <= piece.end; block++)
          kernel.blocks[block - piece.first] = blocks[block]! - from;
        const start = skipStates(state, piece.drawsBefore);
        kernel.permute(piece.end - piece.first, piece.draws, count, groupCount, start, stride);
        values.set(kernel.values.subarray(0, to - from), from);
      }
      state = skipStates(state, count * draws);
      return kernel.sums.subarray(0, count * groupCount);
    },
  };
}
