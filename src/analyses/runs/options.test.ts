import { describe, expect, it } from "vitest";
import { recordBatch } from "../../../test/support/record-batch.ts";
import { UsageError } from "../../core/base/errors.ts";
import { COLUMN_FLAGS } from "../../core/schema/column-flags.ts";
import { FindingLog } from "../../core/schema/findings.ts";
import { compileFilter } from "./filter-option.ts";
import { INPUT_NAMES, inputFlags, parseRunInput, stepFilter } from "./input-options.ts";
import { parseParity } from "./parity-option.ts";
import { noteFilter } from "./read-batches.ts";

describe("--steps", () => {
  const chosen = (text: string): number[] =>
    Array.from({ length: 45 }, (_, step) => step).filter(stepFilter(text));

  it.each([
    ["30", [30]],
    ["0", [0]],
    ["3..5", [3, 4, 5]],
    ["7..7", [7]],
    [" 3 .. 5 ", [3, 4, 5]],
    ["1,20,41..43", [1, 20, 41, 42, 43]],
    ["5, 1", [1, 5]],
  ])("%j", (text, steps) => {
    expect(chosen(text)).toEqual(steps);
  });

  it.each(["", "a", "1..", "..2", "-1", "1.5", "1,,2", "1...2", "x1", "1x", "1..2x"])(
    "refuses %j",
    (text) => {
      expect(() => stepFilter(text)).toThrow(UsageError);
      expect(() => stepFilter(text)).toThrow(/^--steps: cannot parse "/);
    },
  );

  it("refuses a range that ends before it starts, and quotes the part that is wrong", () => {
    expect(() => stepFilter("1, 5..4")).toThrow("--steps: the range 5..4 ends before it starts");
    expect(() => stepFilter("1, b ,2")).toThrow('--steps: cannot parse "b"');
  });
});

describe("a filter's note", () => {
  const counts = { sequences: 2000, keptSequences: 1500, tokens: 90_000, keptTokens: 1200 };
  const note = (given: object, isAboutTokens: boolean) => {
    const findings = new FindingLog();
    noteFilter({ findings }, { counts: { ...counts, ...given }, isAboutTokens });
    return findings.list();
  };

  it("counts what is left, and what is out: sequences, or tokens where it is about these", () => {
    expect(note({}, false)).toMatchObject([
      {
        code: "note",
        severity: "warning",
        count: 500,
        omits: { unit: "sequence", why: "requested" },
        message: expect.stringMatching(
          /^--filter: the figures cover 1,500 of 2,000 sequences, 1,200 of 90,000 tokens with mask 1/,
        ),
      },
    ]);
    const [about] = note({}, true);
    expect(about).toMatchObject({ count: 88_800, omits: { unit: "token", why: "requested" } });
    expect(about!.message).toMatch(
      /^--filter: the figures cover 1,500 of 2,000 sequences, 1,200 of 90,000 tokens/,
    );
    expect(about!.message.length).toBeGreaterThan(note({}, false)[0]!.message.length);
  });

  it("is an error where nothing is left of something", () => {
    expect(() => note({ keptSequences: 0 }, false)).toThrowError(
      expect.objectContaining({
        message: "--filter matches none of the 2,000 sequences",
        hint: "logratio view shows what a filter matches as you type",
      }),
    );
    expect(note({ keptSequences: 0, sequences: 0 }, false)[0]!.count).toBe(0);
  });
});

describe("options of reading", () => {
  it("are those that decide what is read", () => {
    const names = ["pair", "steps", "adapter", "align", "batchTokens", "filter", "tokenizer"];
    expect([...INPUT_NAMES].sort()).toEqual([...Object.keys(COLUMN_FLAGS), ...names].sort());
  });

  it("are passed on under their names, and nothing else is", () => {
    expect(parseRunInput({})).toEqual({});
    expect(parseRunInput({ pair: false, adapter: "verl", batchTokens: 5 })).toEqual({
      pair: false,
      adapter: "verl",
      batchTokens: 5,
    });
    expect(parseRunInput({ align: "auto" })).toEqual(
      parseRunInput({ align: "auto", pair: undefined } as never),
    );
    expect(parseRunInput({ align: "1" }).align).toEqual(parseRunInput({ align: 1 }).align);
    expect(parseRunInput({ align: 1 }).align).not.toEqual(parseRunInput({ align: 2 }).align);
    expect(parseRunInput({ steps: "2..3" }).steps!(2)).toBe(true);
    expect(parseRunInput({ steps: "2..3" }).steps!(4)).toBe(false);
  });

  it("take a column for every flag that names one", () => {
    const columns = Object.fromEntries(Object.keys(COLUMN_FLAGS).map((field) => [field, `a.${field}`]));
    expect(parseRunInput(columns)).toEqual({ mapping: columns });
    expect(parseRunInput({ mask: "m" })).toEqual({ mapping: { mask: "m" } });
  });

  it("are written again as flags, without those that the next command does not need", () => {
    const options = {
      steps: "1..3",
      batchTokens: 5000,
      pair: true,
      other: false,
      absent: undefined,
      parity: ["verl", "trl"],
      threads: 3,
    };
    expect(inputFlags(options, ["threads"])).toEqual([
      "--steps",
      "1..3",
      "--batch-tokens",
      "5000",
      "--pair",
      "--parity",
      "verl",
      "--parity",
      "trl",
    ]);
    expect(inputFlags(options, ["threads", "parity", "steps", "batchTokens"])).toEqual(["--pair"]);
    expect(inputFlags({}, [])).toEqual([]);
  });
});

describe("--parity", () => {
  it("takes trainers by their names, in the order asked for", async () => {
    const named = await parseParity(["xtuner", " verl ", "", "  "]);
    expect(named.map(({ name }) => name)).toEqual(["xtuner", "verl"]);
    expect(await parseParity([])).toEqual([]);
  });

  it("refuses another name and says which there are", async () => {
    await expect(parseParity(["verl", "VERL"])).rejects.toThrow(
      expect.objectContaining({
        _tag: "UsageError",
        message: '--parity: unknown trainer "VERL"',
        hint: expect.stringMatching(/^known: .*verl, .*xtuner|xtuner, .*verl/),
      }),
    );
  });
});

describe("--filter", () => {
  const batch = recordBatch([
    { deltas: "0.1 -0.9", step: 1 },
    { deltas: "0.2 0.3", step: 2 },
  ]);

  it("is none where none is written", async () => {
    expect(await compileFilter({})).toBeUndefined();
  });

  it("leaves what matches", async () => {
    const tokens = await compileFilter({ filter: "abs>0.5" });
    expect(tokens!.isAboutTokens).toBe(true);
    expect([...tokens!.apply(batch)!.responseMask]).toEqual([0, 1]);
    const sequences = await compileFilter({ filter: "step:2" });
    expect(sequences!.isAboutTokens).toBe(false);
    expect([...sequences!.apply(batch)!.steps]).toEqual([2]);
  });

  it("is refused in its own words where it is not understood", async () => {
    await expect(compileFilter({ filter: "abz>1 step:x" })).rejects.toMatchObject({
      _tag: "UsageError",
      message: expect.stringMatching(/^--filter: .*abz.*; .*/),
    });
    await expect(compileFilter({ filter: "" })).rejects.toMatchObject({
      _tag: "UsageError",
      message: "--filter is empty",
    });
    await expect(compileFilter({ filter: "token:a" })).rejects.toMatchObject({
      _tag: "UsageError",
      message: "--filter with token: or is: needs a tokenizer",
      hint: expect.stringContaining("--tokenizer DIR"),
    });
  });

  it("says what may be meant, where it can tell", async () => {
    const hint = async (filter: string): Promise<string | undefined> =>
      compileFilter({ filter }).then(
        () => undefined,
        (error: { hint?: string }) => error.hint,
      );
    const hints = await Promise.all(["abs=>0.5", "stpe:2", "abs>", "nonsense:1"].map(hint));
    for (const each of hints)
      expect(each).toMatch(/^perhaps --filter '.+'$|^docs\/view\.md lists the fields$/);
    expect(new Set(hints.map((each) => each!.startsWith("perhaps")))).toEqual(new Set([true, false]));
  });
});
