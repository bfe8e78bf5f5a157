import { compileOnce } from "./kernel.ts";
import { PERMUTATIONS_WASM } from "./permutations.generated.ts";

/** The exports of assembly/permutations.ts, with addresses as views. */
export interface PermutationsKernel {
  /** Largest number of values per chunk. */
  readonly chunk: number;
  /** Largest number of permutations per call. */
  readonly round: number;
  readonly mostGroups: number;
  /** `[chunk]` */
  readonly values: Float64Array;
  /** `[chunk]`: the group of each place, from 0. */
  readonly groups: Int32Array;
  /** `[chunk + 1]`: starts of the blocks, and the end of the last one. */
  readonly blocks: Int32Array;
  /** `[round × mostGroups]`: the sums of each permutation, contiguous. */
  readonly sums: Float64Array;
  readonly permute: (
    blocks: number,
    draws: number,
    permutations: number,
    groups: number,
    state: number,
    stride: number,
  ) => void;
}

type PermutationsExports = Pick<PermutationsKernel, "permute"> &
  Readonly<
    Record<
      "CHUNK" | "ROUND" | "MOST_GROUPS" | "VALUES" | "GROUPS" | "BLOCKS" | "SUMS",
      { readonly value: number }
    >
  > & {
    readonly memory: { readonly buffer: ArrayBuffer };
  };

/** The kernel; undefined if it cannot run. */
export const permutationsKernel = compileOnce(PERMUTATIONS_WASM, (exports) =>
  wrapPermutationsKernel(exports as PermutationsExports),
);

function wrapPermutationsKernel(exports: PermutationsExports): PermutationsKernel {
  const { buffer } = exports.memory;
  const [chunk, round, mostGroups] = [exports.CHUNK.value, exports.ROUND.value, exports.MOST_GROUPS.value];
  return {
    chunk,
    round,
    mostGroups,
    values: new Float64Array(buffer, exports.VALUES.value, chunk),
    groups: new Int32Array(buffer, exports.GROUPS.value, chunk),
    blocks: new Int32Array(buffer, exports.BLOCKS.value, chunk + 1),
    sums: new Float64Array(buffer, exports.SUMS.value, round * mostGroups),
    permute: exports.permute,
  };
}
