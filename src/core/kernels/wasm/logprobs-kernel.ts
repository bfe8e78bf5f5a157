import { compileOnce } from "./kernel.ts";
import { LOGPROBS_WASM } from "./logprobs.generated.ts";

/** The exports of assembly/logprobs.ts, with addresses as views. */
export interface LogprobsKernel {
  /** Tokens per chunk. */
  readonly chunk: number;
  readonly rolloutIn: Float32Array;
  readonly trainerIn: Float32Array;
  readonly maskIn: Uint8Array;
  /** Tokens with mask 1; those with the same value on both sides; those that are 0 only for the rollout, the trainer, both. */
  readonly counts: Int32Array;
  readonly begin: (sum: number) => void;
  readonly scan: (count: number, lowest: number, certain: number) => number;
  readonly sumDeltas: () => number;
}

type Address = "CHUNK" | "ROLLOUT_IN" | "TRAINER_IN" | "MASK_IN" | "COUNTS";

type LogprobsExports = Pick<LogprobsKernel, "begin" | "scan" | "sumDeltas"> &
  Readonly<Record<Address, { readonly value: number }>> & {
    readonly memory: { readonly buffer: ArrayBuffer };
  };

const COUNTS = 5;

/** The kernel; undefined if it cannot run. */
export const logprobsKernel = compileOnce(LOGPROBS_WASM, (exports) =>
  wrapLogprobsKernel(exports as LogprobsExports),
);

function wrapLogprobsKernel(exports: LogprobsExports): LogprobsKernel {
  const { buffer } = exports.memory;
  const chunk = exports.CHUNK.value;
  return {
    chunk,
    rolloutIn: new Float32Array(buffer, exports.ROLLOUT_IN.value, chunk),
    trainerIn: new Float32Array(buffer, exports.TRAINER_IN.value, chunk),
    maskIn: new Uint8Array(buffer, exports.MASK_IN.value, chunk),
    counts: new Int32Array(buffer, exports.COUNTS.value, COUNTS),
    begin: exports.begin,
    scan: exports.scan,
    sumDeltas: exports.sumDeltas,
  };
}
