import type { DType } from "../../io/columns.ts";

/** Element types of a fixed width; strings carry their own. */
export type FixedDType = Exclude<DType, "string">;

/** Bytes per element. */
export const ITEM_BYTES: Readonly<Record<FixedDType, number>> = {
  float64: 8,
  float32: 4,
  float16: 2,
  bfloat16: 2,
  int64: 8,
  int32: 4,
  int16: 2,
  int8: 1,
  uint64: 8,
  uint32: 4,
  uint16: 2,
  uint8: 1,
  bool: 1,
};
