import { describe, expect, it } from "vitest";
import { prepareRun } from "../prepare/cache/prepare-run.ts";
import { useDemoRun } from "../prepare/demo-run.test-data.ts";
import { DEMO, DEMO_TOKENIZER } from "../prepare/made-run.test-data.ts";
import { storyPage, withoutNotes } from "./index.ts";

const demo = useDemoRun();

describe("the story of a run", () => {
  it("is empty without stars", async () => {
    expect(await storyPage(demo.run)).toEqual({ entries: [] });
  });

  it("has of a token what logratio divergence prints of it", async () => {
    await demo.run.changeStar({ handle: "s30.q54.t39", note: "still 110" });
    const { entries } = await storyPage(demo.run);
    expect(entries).toHaveLength(1);
    const [entry] = entries as [(typeof entries)[0]];
    expect(entry).toMatchObject({ handle: "s30.q54.t39", note: "still 110", token: 39 });
    expect(entry.facts).toEqual([
      ["step", "30"],
      ["answer", "wrong"],
      ["reward", "0"],
      ["advantage", "0"],
      ["Δ", "−6.81 nats"],
      ["p rollout", "0.9989"],
      ["p trainer", "0.00111"],
      ["ρ", "0.00111"],
    ]);
    expect(entry.alternatives!.slice(0, 2)).toEqual([
      { text: "0", sampled: true, rollout: "0.9989", trainer: "0.00111" },
      { text: "1", sampled: false, rollout: "7.32e−4", trainer: "0.9985" },
    ]);
    const shown = entry.strip.filter(({ isShown }) => isShown);
    expect(shown).toMatchObject([{ text: "0", kind: "own" }]);
    expect(shown[0]!.delta).toBeCloseTo(-6.8055, 3);
    expect(entry.strip.map(({ text }) => text).join("")).toContain("Therefore x = 100. #### 1");
    expect(entry.strip.every(({ kind, delta }) => kind === "own" || delta === null)).toBe(true);
    expect(entry.picture).toContain("token 39");
    expect(entry.row).toMatchObject({
      ...{ handle: "s30.q54.t39", note: "still 110", step: 30, correct: 0, reward: 0, token: 39 },
      ...{ token_id: 55, token_text: "0" },
    });
    expect(entry.row.delta).toBeCloseTo(-6.8055, 3);
    const [[first, probability]] = entry.row.trainer_alternatives as [readonly [string, number]];
    expect([first, probability.toFixed(4)]).toEqual(["1", "0.9985"]);
  });

  it("shows of a sequence its furthest token, and says of a place that is gone that it is", async () => {
    await demo.run.changeStar({ handle: "s30.q48", note: "" });
    await demo.run.changeStar({ handle: "s30.q48.t99999", note: "" });
    await demo.run.changeStar({ handle: "s31.q1", note: "gone" });
    const { entries } = await storyPage(demo.run);
    expect(entries.map(({ handle, token }) => [handle, token])).toEqual([
      ["s30.q54.t39", 39],
      ["s30.q48", expect.any(Number)],
      ["s30.q48.t99999", null],
      ["s31.q1", null],
    ]);
    expect(entries[1]!.facts.map(([name]) => name)).toContain(`largest |Δ|, token ${entries[1]!.token}`);
    expect(entries[1]!.prompt).toContain("Solve x - 86 = 24");
    for (const { sequence, strip, alternatives, facts } of entries.slice(2))
      expect([sequence, strip, alternatives, facts]).toEqual([null, [], null, []]);
    expect(entries[3]!.row).toMatchObject({ handle: "s31.q1", note: "gone", delta: null });
  });

  it("points at no token of a sequence that has none with a Δ", async () => {
    const rows = [{ step: 1 }, { step: 1, response_mask: [0, 0, 0] }];
    const bare = await prepareRun([await demo.work.run("bare/a.jsonl", rows)]);
    await bare.changeStar({ handle: "s1.q1", note: "only tools wrote here" });
    const [entry] = (await storyPage(bare)).entries;
    await bare.close();
    expect(entry).toMatchObject({ sequence: 1, token: null, strip: [], alternatives: null, picture: null });
    expect(entry!.facts).toEqual([["step", "1"]]);
    expect(entry!.row).toMatchObject({ token: null, token_id: null, delta: null });
  });

  it("leaves notes out for those who may see no text", async () => {
    const { entries } = await storyPage(demo.run);
    for (const { note, row } of withoutNotes(entries)) expect([note, row.note]).toEqual(["", ""]);
    expect(withoutNotes((await demo.run.stars()).stars)[0]).toEqual({ handle: "s30.q54.t39", note: "" });
  });

  it("is kept when the run is opened again", async () => {
    const again = await prepareRun([DEMO], { tokenizer: DEMO_TOKENIZER, cache: demo.work.path("cache") });
    expect((await again.stars()).stars).toHaveLength(4);
    await again.close();
  });
});
