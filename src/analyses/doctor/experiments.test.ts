import { describe, expect, it } from "vitest";
import { CAUSES } from "./causes/catalog.ts";
import { EXPERIMENTS } from "./experiment-list.ts";
import { chooseExperiment } from "./experiments.ts";

const choose = (causes: Readonly<Record<string, number>>) =>
  chooseExperiment(new Map(Object.entries(causes)));

describe("the next experiment", () => {
  it("is the one whose outcome splits what is likely, and says which outcome speaks for which cause", () => {
    const found = choose({ stale_weights: 0.5, layer_not_synced: 0.45, cannot_tell: 0.05 })!;
    expect(found.id).toBe("weight_checksum");
    expect(found.outcomes.map(({ outcome, causes }) => [outcome, causes])).toEqual([
      ["all or most tensors differ", ["stale_weights"]],
      ["some tensors differ", ["layer_not_synced"]],
      ["workers differ from each other", []],
      ["all are equal", []],
    ]);
  });

  it("gives as many nats as two outcomes, right 92 times of 100, tell of two causes", () => {
    const found = choose({ template_mismatch: 0.5, healthy: 0.5 })!;
    const binary = (p: number): number => -p * Math.log(p) - (1 - p) * Math.log(1 - p);
    expect(found.expected_information).toBeCloseTo(Math.LN2 - binary(0.92), 9);
  });

  it("names in the last outcome the causes that no other names, but not that nothing is known", () => {
    const found = choose({ template_mismatch: 0.45, healthy: 0.4, cannot_tell: 0.146, bos_missing: 0.004 })!;
    const named = found.outcomes.flatMap(({ causes }) => causes);
    expect(named.filter((id) => id === "template_mismatch")).toHaveLength(1);
    expect(found.outcomes.at(-1)!.causes).toContain("healthy");
    // What is less likely than 0.5 % is not worth a name.
    expect(named).not.toContain("cannot_tell");
    expect(named).not.toContain("bos_missing");
  });

  it("is none where nothing is left to tell", () => {
    expect(choose({ token_shift: 1 })).toBeNull();
    expect(choose({ token_shift: 0.995, healthy: 0.005 })).toBeNull();
    expect(choose({ cannot_tell: 1 })).toBeNull();
    // It would tell something of nine to one, and only confirm nineteen to one.
    expect(choose({ template_mismatch: 0.9, healthy: 0.1 })!.expected_information).toBeCloseTo(0.167, 3);
    expect(choose({ template_mismatch: 0.95, healthy: 0.05 })).toBeNull();
  });

  it("is looked for among those whose causes exist, each cause in one outcome", () => {
    expect(EXPERIMENTS.length).toBeGreaterThan(5);
    for (const { id, title, steps, outcomes } of EXPERIMENTS) {
      const causes = outcomes.flatMap(({ causes: own }) => own);
      expect(
        causes.filter((cause) => !CAUSES.has(cause)),
        id,
      ).toEqual([]);
      expect(new Set(causes).size, id).toBe(causes.length);
      expect(causes.length, id).toBeGreaterThan(0);
      expect(
        [title, ...steps, ...outcomes.map(({ outcome }) => outcome)].every((text) => text.length > 5),
        id,
      ).toBe(true);
      expect(outcomes.at(-1)!.causes, id).toEqual([]);
    }
    expect(new Set(EXPERIMENTS.map(({ id }) => id)).size).toBe(EXPERIMENTS.length);
  });

  it.each(EXPERIMENTS.map(({ id, outcomes }) => ({ id, outcomes })))(
    "$id is chosen where it decides",
    ({ outcomes }) => {
      const pair = [outcomes[0]!.causes[0]!, "healthy"];
      const found = choose(Object.fromEntries(pair.map((cause) => [cause, 0.5])))!;
      const apart = found.outcomes.map(({ causes }) => causes.filter((cause) => pair.includes(cause)));
      expect(apart.every((causes) => causes.length < 2)).toBe(true);
    },
  );
});
