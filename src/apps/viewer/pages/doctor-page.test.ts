import { describe, expect, it } from "vitest";
import { CANNOT_TELL, FAULT, HEALTHY } from "../../../render/doctor/sample.test-data.ts";
import { doctorPage } from "./doctor-page.ts";

describe("the doctor's page", () => {
  it("has the causes of the first screen, each with all its evidence, pictures, places and fixes", () => {
    const { level, word, sentence, causes } = doctorPage(FAULT);
    expect([level, word, sentence]).toEqual(["fault", "FAULT", FAULT.assessment.sentence]);
    expect(causes.map(({ chance, title }) => [chance, title])).toEqual([
      ["87 %", "Dropout is on in the trainer's forward pass"],
      ["9 %", "The rollout engine samples from older weights"],
      ["3 %", "None of these causes"],
    ]);
    const [first] = causes;
    expect(first!.evidence.map(({ title, items }) => [title, items.length])).toEqual([
      ["Evidence for it", 3],
      ["Evidence against it", 1],
    ]);
    expect(first!.handles).toEqual(["s254.q3.t17", "s255.q9"]);
    expect(first!.fixes.map(({ place, line }) => [place, line])).toEqual([
      ["for verl", "actor_rollout_ref.model.override_config.attention_dropout=0.0"],
      ["for any trainer", "model.eval()  # before log-probs are computed"],
    ]);
    expect(first!.pictures.map(({ id }) => id)).toEqual(["dropout_on-1", "dropout_on-2", "dropout_on-3"]);
    expect(first!.pictures[1]!.raw).toEqual([
      { environment: "gsm8k", "mean Δ": -0.009 },
      { environment: "math", "mean Δ": 0.002 },
    ]);
  });

  it("has the next experiment, the legs, what was ruled out and what was not tested", () => {
    const { next, sections } = doctorPage(FAULT);
    expect(next!.steps.map(({ isCommand }) => isCommand)).toEqual([false, false, true]);
    expect(next!.table.rows).toBe(3);
    expect(sections.map(({ title }) => title)).toEqual([
      "Three columns",
      "Other causes",
      "Not tested: a column is missing",
    ]);
    expect(sections[0]!.lines![0]![1]).toContain("the trainer differs from both");
  });

  it("names no cause of a healthy run, and no experiment where none is needed", () => {
    expect(doctorPage(HEALTHY)).toMatchObject({ word: "NORMAL", level: "normal", causes: [], next: null });
    expect(doctorPage(CANNOT_TELL).causes.map(({ level }) => level)).toEqual(["too_few", "elevated"]);
  });
});
