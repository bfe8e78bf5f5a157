import { describe, expect, it } from "vitest";
import type { MistakeEvent } from "../../../results/events.ts";
import { eventsOf, makeAlternative, makeEvent, makeReport } from "./answer.test-data.ts";
import { eventRow } from "./event-row.ts";

const row = (more: Partial<MistakeEvent> = {}, unicode = true) =>
  eventRow(makeReport({ level: "elevated", events: eventsOf(makeEvent(more)) }), unicode)!;
const SILENT = { before: "", token: "", after: "", prompt: null };

describe("the worst mistake", () => {
  it("says where, quotes the token in its text, and what each side says of it", () => {
    expect(row()).toEqual({
      label: "worst",
      text: "step 30, in 7 of the 8 answers to “…please Solve x - 86 = 24”:",
      quoted: [
        "     have 110.⏎Therefore x = 1▐0▌0. #### 100",
        "engine   0    98.3 %     1     1.6 %",
        "trainer  0  0.0020 %     1   >99.9 %",
      ],
    });
  });

  it("marks the token without Unicode too", () => {
    expect(row({}, false).quoted![0]).toContain("x = 1[0]0. ####");
  });

  it.each([
    [[], ""],
    [[4], "step 4, "],
    [[4, 5, 6], "steps 4, 5, 6, "],
    [[4, 5, 6, 7, 8], "steps 4, 5, 6 and 2 more, "],
  ])("names its steps: %j", (steps, words) => {
    expect(row({ steps }).text.startsWith(`${words}in 7 of the 8 answers`)).toBe(true);
  });

  it("counts answers alone where prompts are not known, and names no prompt", () => {
    expect(row({ of_answers: null, answers: 1, text: SILENT }).text).toBe(
      "step 30, in 1 answer to one prompt:",
    );
    expect(row({ text: null }).text).toMatch(/answers to one prompt:$/);
    // Without a text there is nothing to quote, but both sides are still shown.
    expect(row({ text: null }).quoted).toHaveLength(2);
  });

  it("keeps 26 characters on either side, by whole characters, and lines in one", () => {
    const long = "😀".repeat(40);
    const text = { before: `${long}\r\n`, token: "x\ny", after: long, prompt: `a\nb ${long}` };
    const shown = row({ text });
    expect(shown.quoted![0]).toBe(`    ${"😀".repeat(25)}⏎▐x⏎y▌${"😀".repeat(26)}`);
    expect(shown.text).toContain(`to “…${"😀".repeat(24)}”:`);
  });

  it("shows the sampled token first, then the likeliest beside it on either side", () => {
    const alternatives = [
      makeAlternative("a", [0.2, 0.1]),
      { ...makeAlternative("mine", [0.3, 0.01]), sampled: true },
      makeAlternative("b", [0.05, 0.8]),
      makeAlternative("c", [0.7, null]),
    ];
    expect(row({ alternatives }).quoted!.slice(1)).toEqual([
      "engine   mine    30.0 %     b     5.0 %",
      "trainer  mine     1.0 %     b    80.0 %",
    ]);
  });

  it("says that a side's list does not have a token", () => {
    const alternatives = [
      { ...makeAlternative("0", [0.9, null]), sampled: true },
      makeAlternative("1", [null, 0.99]),
    ];
    expect(row({ alternatives }).quoted!.slice(1)).toEqual([
      "engine   0    90.0 %     1         ?",
      "trainer  0         ?     1    99.0 %",
    ]);
  });

  it.each([
    ["  ", "“  ”"],
    ["\n", "“⏎”"],
    [" the", "the"],
    [null, "#16"],
  ])("names a token by its text, in quotes where that is blank, else by its id: %j", (text, name) => {
    const alternatives = [{ ...makeAlternative(text, [0.9, 0.1]), token_id: 16, sampled: true }];
    expect(row({ alternatives }).quoted![1]).toBe(`engine   ${name}    90.0 %`);
  });

  it("takes the sampled token's probabilities from its log-probs where no alternatives were recorded", () => {
    expect(row({ alternatives: [] }).quoted!.slice(1)).toEqual([
      "engine   0    98.3 %",
      "trainer  0  0.0020 %",
    ]);
    const nameless = row({ alternatives: [], text: null, token_id: null });
    expect(nameless.quoted![0]).toBe("engine   the token    98.3 %");
  });

  it("shows no character that moves the cursor", () => {
    const text = { before: "\u001b[2J", token: "\u202e", after: "\u0007", prompt: "\u001b]0;x" };
    const shown = row({
      text,
      alternatives: [{ ...makeAlternative("\u001b[1m", [0.5, 0.1]), sampled: true }],
    });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must not be there
    expect([shown.text, ...shown.quoted!].join("")).not.toMatch(/[\u0000-\u001f\u202e]/);
  });
});

describe("where no token is far off", () => {
  it("the one with the largest |Δ| is named", () => {
    const report = makeReport();
    expect(report.worst_tokens.length).toBeGreaterThan(0);
    const { text, quoted } = eventRow(report, true)!;
    expect(text).toMatch(
      /^s30\.r0\.q3\.t41: .* in the engine, .* in the trainer\. No other of 3,000 tokens differs more$/,
    );
    expect(quoted).toBeUndefined();
  });

  it("nothing is said of a run without tokens, or whose columns cannot be compared", () => {
    expect(eventRow(makeReport({}, { worst_tokens: [] }), true)).toBeUndefined();
    const report = makeReport({ level: "not_comparable", events: eventsOf(makeEvent()) });
    expect(eventRow(report, true)).toBeUndefined();
  });
});
