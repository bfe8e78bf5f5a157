import { compileOnce } from "./kernel.ts";
import { SHIFTS_WASM } from "./shifts.generated.ts";

/** The exports of assembly/shifts.ts, with addresses as views. */
export interface ShiftsKernel {
  /** Longest row that fits, in tokens. */
  readonly room: number;
  readonly rolloutIn: Float32Array;
  readonly trainerIn: Float32Array;
  readonly sums: Float64Array;
  readonly setRange: (low: number, high: number) => void;
  readonly compareInPlace: (start: number, end: number) => void;
  readonly vote: (start: number, end: number, shift: number, sums: number, others: number) => void;
}

type Address = "ROOM" | "ROLLOUT_IN" | "TRAINER_IN" | "SUMS" | "MOST_SUMS";

type ShiftsExports = Pick<ShiftsKernel, "setRange" | "compareInPlace" | "vote"> &
  Readonly<Record<Address, { readonly value: number }>> & {
    readonly memory: { readonly buffer: ArrayBuffer };
  };

/** The kernel; undefined if it cannot run. */
export const shiftsKernel = compileOnce(SHIFTS_WASM, (exports) => wrapShiftsKernel(exports as ShiftsExports));

function wrapShiftsKernel(exports: ShiftsExports): ShiftsKernel {
  const { buffer } = exports.memory;
  const room = exports.ROOM.value;
  return {
    room,
    rolloutIn: new Float32Array(buffer, exports.ROLLOUT_IN.value, room),
    trainerIn: new Float32Array(buffer, exports.TRAINER_IN.value, room),
    sums: new Float64Array(buffer, exports.SUMS.value, exports.MOST_SUMS.value),
    setRange: exports.setRange,
    compareInPlace: exports.compareInPlace,
    vote: exports.vote,
  };
}
