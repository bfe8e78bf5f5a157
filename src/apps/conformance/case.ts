/**
 * What every runner of golden cases needs: the case, its arrays, and numbers as case files spell them.
 *
 * @module
 */
import { SchemaError } from "../../core/base/index.ts";
import type { Metrics, PaddedBatch } from "../../trainers/index.ts";

/** One case: which function, with what. Arrays are nested lists; non-finite numbers are the strings of their names. */
export interface ConformanceCase {
  readonly id: string;
  readonly kind: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly config?: Readonly<Record<string, unknown>>;
}

export type ConformanceResult =
  | { readonly id: string; readonly actual: Readonly<Record<string, unknown>> }
  | { readonly id: string; readonly skipped: true };

export type Fields = Readonly<Record<string, unknown>>;
/** From a case's inputs and configuration to `actual`. */
export type Runner = (inputs: Fields, config: Fields) => Fields;

export function paddedBatch(inputs: Fields): PaddedBatch {
  const rows = (name: string): number[][] => {
    const value = inputs[name];
    if (!Array.isArray(value))
      throw new SchemaError(`cannot run the case: inputs.${name} is missing or not a list of rows`);
    return value.map(numbers);
  };
  return {
    old_log_probs: rows("old_log_probs"),
    rollout_log_probs: rows("rollout_log_probs"),
    ...(inputs.response_mask !== undefined && { response_mask: rows("response_mask") }),
    ...(inputs.attention_mask !== undefined && { attention_mask: rows("attention_mask") }),
  };
}

export function numbers(value: unknown): number[] {
  if (!Array.isArray(value)) throw new SchemaError("cannot run the case: a list of numbers was expected");
  return value.map(Number);
}

/** Non-finite numbers by name, as the case files spell them. */
export function encoded(metrics: Metrics): Readonly<Record<string, number | string>> {
  return Object.fromEntries(Object.entries(metrics).map(([key, value]) => [key, encodedNumber(value)]));
}

export function values(column: Float64Array | Uint8Array): (number | string)[] {
  return Array.from(column, encodedNumber);
}

export function encodedNumber(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}
