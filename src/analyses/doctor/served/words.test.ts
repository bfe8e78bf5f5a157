import { describe, expect, it } from "vitest";
import type { CheckpointFit, ServedSide, ServedStep } from "../../../results/served.ts";
import { sayServed } from "./words.ts";

const side = (checkpoint: string | null, none = 0.001): ServedSide => ({
  checkpoint,
  nearest: checkpoint ?? "sft",
  none,
  most_noise: 0.2,
});
const fit: CheckpointFit = {
  probability: 0.98,
  logit_noise: 0.04,
  logit_noise_mean: 0.03,
  delta_abs_median: 0.001,
};
const step = (at: number, rollout: string | null, trainer: string | null): ServedStep => ({
  step: at,
  sequences: 8,
  rollout: side(rollout),
  trainer: side(trainer),
});
const DISTANCE = "is a logit noise of 0.0300 nats, and an engine's precision explains up to 0.200.";

describe("which checkpoints were used, in a sentence", () => {
  it("is said of both sides, with the engine's distance", () => {
    expect(sayServed({ rollout: side("dpo"), trainer: side("dpo"), by_step: [] }, fit)).toBe(
      `Both sides used dpo (98 % in the engine): the engine's distance to dpo ${DISTANCE}`,
    );
    expect(sayServed({ rollout: side("sft"), trainer: side("dpo"), by_step: [] }, fit)).toBe(
      `The engine used sft and the trainer dpo: the engine's distance to sft ${DISTANCE}`,
    );
    expect(sayServed({ rollout: side(null, 0.96), trainer: side(null), by_step: [] }, fit)).toBe(
      `Neither side used any of these checkpoints (96 % in the engine): the engine's distance to sft ${DISTANCE}`,
    );
    expect(sayServed({ rollout: side(null), trainer: side("dpo"), by_step: [] }, fit)).toContain(
      "The engine used none of these and the trainer dpo:",
    );
  });

  it("is said step by step, in stretches of steps that are alike", () => {
    const by_step = [
      step(1, "dpo", "dpo"),
      step(2, "dpo", "rl_1"),
      step(3, "dpo", "rl_1"),
      step(4, null, "rl_1"),
    ];
    expect(sayServed({ rollout: side(null), trainer: side("rl_1"), by_step }, fit)).toBe(
      "In step 1 both sides used dpo; in steps 2–3 the engine used dpo, the trainer rl_1; " +
        "in step 4 the engine used none of these, the trainer rl_1.",
    );
    const many = Array.from({ length: 9 }, (_, at) => step(at, `c${at}`, `c${at}`));
    expect(sayServed({ rollout: side(null), trainer: side(null), by_step: many }, fit)).toMatch(
      /in step 3 both sides used c3; the table has the rest\.$/,
    );
  });
});
