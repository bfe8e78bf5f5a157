import { describe, expect, it } from "vitest";
import { relateSides } from "./relate.ts";
import type { StatedWeights } from "./weights-seen.ts";

const hex = (value: number): string => value.toString(16).padStart(16, "0");
/** A digest of weights with the given values, of which `rounded` are what bfloat16 keeps. */
const digest = (exact: number, rounded = exact, dtypes = "float32"): string =>
  `logratio-weights-1:${dtypes}:2:${hex(7)}:${hex(exact)}:${hex(rounded)}`;
const state = (
  step: number,
  rollout: string | null,
  trainer: string | null,
  sequences = 4,
): StatedWeights => ({ step, rollout, trainer, sequences });

describe("the weights of both sides", () => {
  it("are not known unless both are stated", () => {
    expect(relateSides([])).toBeNull();
    expect(relateSides([state(1, null, "a"), state(2, "a", null)])).toBeNull();
  });

  it("are equal, or equal after rounding", () => {
    const facts = relateSides([
      state(1, digest(1), digest(1)),
      state(2, digest(12, 2, "bfloat16"), digest(2)),
      state(3, "v3", "v3"),
    ]);
    expect(facts).toMatchObject({ sequences: 12, equal: 8, rounded: 4, different: 0, unknown: 0, lag: null });
    expect(facts?.sentence).toBe(
      "The weights of engine and trainer have equal digests in all 12 sequences, in 4 of them after rounding to bfloat16.",
    );
    const rounded = relateSides([state(1, digest(11, 1, "bfloat16"), digest(1))]);
    expect(rounded?.sentence).toBe(
      "The weights of engine and trainer have equal digests in all 4 sequences after rounding to bfloat16.",
    );
  });

  it("differ from a step on, by a number of steps", () => {
    const facts = relateSides([
      state(1, digest(1), digest(1)),
      state(2, digest(2), digest(2)),
      state(3, digest(1), digest(3)),
      state(4, digest(2), digest(4), 2),
      state(5, digest(4), digest(5), 1),
    ]);
    expect(facts).toMatchObject({
      different: 7,
      first_different_step: 3,
      lag: 2,
      lag_sequences: 6,
      updates: 4,
      updates_below_bfloat16: 0,
    });
    expect(facts?.sentence).toBe(
      "The weights of engine and trainer have different digests in 7 of 15 sequences, first at step 3: in 6 of them the trainer had the engine's 2 steps earlier.",
    );
  });

  it("count the lag from the last step at which the trainer had them, else to the first one at which it did", () => {
    const unmoved = relateSides([
      state(1, null, digest(1)),
      state(2, null, digest(1)),
      state(5, digest(1), digest(5)),
    ]);
    expect(unmoved).toMatchObject({ lag: 3, lag_sequences: 4 });
    const ahead = relateSides([state(1, digest(2), digest(1)), state(2, null, digest(2))]);
    expect(ahead?.lag).toBe(-1);
    expect(ahead?.sentence).toMatch(/first at step 1: the trainer had the engine's 1 step later\.$/);
  });

  it("are others if the trainer never had them, and also without steps", () => {
    const facts = relateSides([state(1, digest(9), digest(1)), state(Number.NaN, digest(9), digest(1))]);
    expect(facts).toMatchObject({ different: 8, first_different_step: 1, lag: null, lag_sequences: 0 });
    expect(facts?.sentence).toBe(
      "The weights of engine and trainer have different digests in all 8 sequences, first at step 1: the trainer had the engine's at no recorded step.",
    );
    expect(relateSides([state(Number.NaN, digest(9), digest(1))])).toMatchObject({
      different: 4,
      first_different_step: null,
    });
  });

  it("are not compared if each side names them in its own way, unless the trainer used the engine's name", () => {
    const facts = relateSides([state(1, "engine-1", "trainer-1"), state(2, "engine-2", "trainer-2")]);
    expect(facts).toMatchObject({ sequences: 8, unknown: 8, different: 0, first_different_step: null });
    expect(facts?.sentence).toMatch(/they cannot be compared\.$/);
    expect(relateSides([state(1, null, "v1"), state(2, "v1", "v2")])).toMatchObject({
      different: 4,
      lag: 1,
    });
  });

  it("show updates that an engine in bfloat16 does not see", () => {
    const facts = relateSides([
      state(1, digest(10, 1, "bfloat16"), digest(1, 1)),
      state(2, digest(10, 1, "bfloat16"), digest(2, 1)),
      state(3, digest(10, 1, "bfloat16"), digest(3, 1)),
      state(4, digest(20, 2, "bfloat16"), digest(4, 2)),
    ]);
    expect(facts).toMatchObject({ rounded: 16, different: 0, updates: 3, updates_below_bfloat16: 2 });
    expect(facts?.sentence).toMatch(
      /\. 2 of the trainer's 3 updates changed no sampled weight by as much as bfloat16 can hold\.$/,
    );
  });

  it("of a step with several digests are no update", () => {
    const facts = relateSides([
      state(1, digest(1), digest(1)),
      state(2, digest(1), digest(1)),
      state(2, digest(2), digest(2)),
      state(3, digest(3), digest(3)),
    ]);
    expect(facts?.updates).toBe(1);
  });
});
