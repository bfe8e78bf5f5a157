/**
 * A column of log-probs with a single value is a placeholder: no policy is equally sure of every token.
 *
 * @module
 */

import type { FloatArray } from "../core/base/index.ts";
import type { FindingLog } from "../core/schema/index.ts";
import { formatCount } from "../core/text/index.ts";

/** A short greedy answer may have the same log-prob at a handful of tokens, usually 0, but not at more than this. */
const FEWEST = 20;

interface Seen {
  readonly file: string;
  value: number;
  count: number;
  isConstant: boolean;
}

export interface ConstantCheck {
  see(column: string, values: FloatArray, mask: Uint8Array, file: string): void;
  finish(): void;
}

/** @param columns what detection found, such as `rollout log-probs: rollout_log_probs, float32 [64, 136]` */
export function createConstantCheck(findings: FindingLog, columns: readonly string[]): ConstantCheck {
  const sides = new Map<string, Seen>();
  return {
    see(column, values, mask, file) {
      const seen = sides.get(column) ?? { file, value: Number.NaN, count: 0, isConstant: true };
      sides.set(column, seen);
      if (!seen.isConstant) return;
      for (let t = 0; t < values.length; t++) {
        const value = values[t]!;
        if (mask[t] === 0 || Number.isNaN(value)) continue;
        if (seen.count === 0) seen.value = value;
        else if (value !== seen.value) {
          seen.isConstant = false;
          return;
        }
        seen.count++;
      }
    },
    finish() {
      for (const [side, { file, value, count, isConstant }] of sides) {
        if (!isConstant || count < FEWEST) continue;
        const described = columns.find((line) => line.startsWith(`${side}: `))?.slice(side.length + 2);
        const named = described === undefined ? "" : ` (column ${described.split(",")[0]})`;
        findings.add({
          code: "constant-logprobs",
          severity: "warning",
          subject: `${side} ${value}`,
          count,
          at: { file },
          likely: "a placeholder was written where the engine or the trainer gave no log-probs",
          hint: `name the right column: ${side.startsWith("rollout") ? "--rollout" : "--trainer"} COLUMN; --explain lists the columns`,
          describe: (total) =>
            `all ${formatCount(total)} ${side} are ${value}${named}: these are not log-probs`,
        });
      }
    },
  };
}
