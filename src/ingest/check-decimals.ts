/**
 * Log-probs of four decimals, as verifiers 0.4 writes them to records (`RECORD_FLOAT_DECIMALS`): harmless for most runs,
 * but of policies that agree closely the figures then show rounding. Fewer decimals are the doctor's to name.
 *
 * @module
 */
import type { FloatArray } from "../core/base/index.ts";
import type { FindingLog, RecordBatch } from "../core/schema/index.ts";
import { plural } from "../core/text/index.ts";

const STEP = 1e-4;
/** Fewer tokens may have four decimals by chance, or all be 0. */
const FEWEST = 100;
/** Rounding of both sides adds 3.3e-5 to mean |Δ| at most; ten steps are 30 times that. */
const MATTERS_BELOW = 10 * STEP;
/** Of a float32's value: the error of the nearest float32. */
const FLOAT_ERROR = 2 ** -23;

export interface DecimalsCheck {
  see(batch: RecordBatch): void;
  finish(): void;
}

export function createDecimalsCheck(findings: FindingLog): DecimalsCheck {
  let isRounded = true;
  let [tokens, sum, file] = [0, 0, ""];
  return {
    see({ rolloutLogprobs: rollout, trainerLogprobs: trainer, responseMask: mask, provenance }) {
      if (!isRounded || rollout === undefined || trainer === undefined) return;
      file ||= provenance.file;
      for (let t = 0; t < mask.length; t++) {
        const delta = trainer[t]! - rollout[t]!;
        if (mask[t] === 0 || !Number.isFinite(delta)) continue;
        if (!isOnStep(rollout, t) || !isOnStep(trainer, t)) {
          isRounded = false;
          return;
        }
        tokens++;
        sum += Math.abs(delta);
      }
    },
    finish() {
      if (!isRounded || tokens < FEWEST || sum === 0 || sum / tokens >= MATTERS_BELOW) return;
      findings.add({
        code: "note",
        severity: "warning",
        subject: "four decimals",
        count: tokens,
        at: { file },
        likely: "the trainer rounds what it writes (verifiers 0.4: four decimals)",
        hint: "to see smaller differences, write every digit (prime-rl: monitors.file.float_decimals)",
        describe: (count) =>
          `log-probs of ${plural(count, "token")} are on a lattice of 1e-4: figures below 5e-5 are rounding`,
      });
    },
  };
}

function isOnStep(values: FloatArray, t: number): boolean {
  const steps = values[t]! / STEP;
  return Math.abs(steps - Math.round(steps)) <= Math.abs(steps) * FLOAT_ERROR + 1e-9;
}
