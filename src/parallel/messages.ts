import type { MismatchTable, TokenBlock } from "../kernels/mismatch.ts";

/** A block for one worker to sum; its columns are in shared memory. */
export interface MismatchTask {
  readonly id: number;
  readonly block: TokenBlock;
  readonly turns: boolean;
  readonly engine: "wasm" | "scalar";
}

export type MismatchReply =
  | { readonly id: number; readonly table: MismatchTable }
  | { readonly id: number; readonly error: string };
