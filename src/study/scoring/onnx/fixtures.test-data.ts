import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { LogitBlock } from "../../../core/kernels/logit-block.ts";
import type { LogitsPolicy } from "../policy.ts";
import { type OnnxOptions, openOnnxPolicy } from "./open-policy.ts";
import { widened } from "./widen.ts";

export const MODELS = fileURLToPath(new URL("../../../../test/fixtures/onnx", import.meta.url));

interface Expected {
  readonly ids: readonly number[];
  readonly logits: readonly (readonly number[])[];
  readonly scaled: readonly (readonly number[])[];
  readonly unsplittable: readonly (readonly number[])[];
  readonly span: readonly [number, number];
  /** `[layers][heads][positions]`: share that goes to the span. */
  readonly attention: readonly (readonly (readonly number[])[])[];
  /** Logits when no token behind the span attends to it. */
  readonly hidden: readonly (readonly number[])[];
}
/** Computed by NumPy in float64: `scripts/fixtures/onnx_models.py`. */
export const EXPECTED = JSON.parse(readFileSync(join(MODELS, "expected.json"), "utf8")) as Expected;
export const IDS = Int32Array.from(EXPECTED.ids);
export const VOCABULARY = 48;

/** Opens a policy, passes it on and closes it. */
export async function withPolicy<T>(
  path: string,
  options: OnnxOptions,
  use: (policy: LogitsPolicy) => Promise<T>,
): Promise<T> {
  const policy = await openOnnxPolicy("p", path, { threads: 1, ...options });
  try {
    return await use(policy);
  } finally {
    await policy.close();
  }
}

export interface Rows {
  readonly values: number[];
  /** Rows of each block. */
  readonly blocks: number[];
  readonly formats: Set<LogitBlock["format"]>;
}

export async function allRows(policy: LogitsPolicy, ids: Int32Array, promptLength: number): Promise<Rows> {
  const rows: Rows = { values: [], blocks: [], formats: new Set() };
  for await (const block of policy.logits({ id: "t", ids, promptLength })) {
    rows.values.push(...widened(block));
    rows.blocks.push(block.rows);
    rows.formats.add(block.format);
  }
  return rows;
}

export function furthest(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) throw new Error(`${a.length} values, not ${b.length}`);
  return Array.from(a).reduce((most, value, i) => {
    const difference = Math.abs(value - b[i]!);
    return Math.max(most, difference);
  }, 0);
}

/** The error that a promise is rejected with. */
export async function failure(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("it did not fail");
}
