import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { HealthReport } from "../../results/health.ts";
import { SEQUENCE_COLUMNS, SEQUENCE_TEXTS } from "../../results/metrics/sequence-columns.ts";
import type { StalenessMetrics } from "../../results/report.ts";
import type { SequenceTable } from "../../results/wire/table.ts";
import { checkHealth } from "./check-health.ts";

interface Drawn {
  readonly step?: number;
  readonly group?: string;
  readonly reward?: number;
  readonly tokens?: number;
  readonly finish?: string;
}

function makeTable(rows: readonly Drawn[]): SequenceTable {
  const column = (pick: (row: Drawn) => number | undefined): Float64Array =>
    Float64Array.from(rows, (row) => pick(row) ?? Number.NaN);
  type Texts = SequenceTable["texts"]["group"];
  const text = (pick: (row: Drawn) => string | undefined): Texts => {
    const values = [...new Set(rows.map(pick).filter((value) => value !== undefined))];
    return {
      values,
      codes: Int32Array.from(rows, (row) => values.indexOf(pick(row) ?? "\0")),
    };
  };
  const empty = text(() => undefined);
  return {
    length: rows.length,
    columns: {
      ...(Object.fromEntries(
        SEQUENCE_COLUMNS.map((name) => [name, column(() => undefined)]),
      ) as SequenceTable["columns"]),
      step: column(({ step }) => step),
      reward: column(({ reward }) => reward),
      response_tokens: column(({ tokens }) => tokens ?? 10),
    },
    texts: {
      ...(Object.fromEntries(
        SEQUENCE_TEXTS.map((name): [string, Texts] => [name, empty]),
      ) as unknown as SequenceTable["texts"]),
      group: text(({ group }) => group),
      finish_reason: text(({ finish }) => finish),
    },
  };
}

const check = (rows: readonly Drawn[]): HealthReport => checkHealth(makeTable(rows), []);
/** `groups` prompts with two samples each; the first `flat` of them have one reward. */
const pairs = (groups: number, flat: number): Drawn[] =>
  Array.from({ length: groups }, (_, group) => [
    { step: 1, group: `g${group}`, reward: 1 },
    { step: 1, group: `g${group}`, reward: group < flat ? 1 : 0 },
  ]).flat();

describe("groups without spread in reward", () => {
  it("are those of one step whose known rewards are all equal, counted as a plain look does", () => {
    const row = fc.record(
      {
        step: fc.integer({ min: 1, max: 3 }),
        group: fc.constantFrom("a", "b", "c"),
        reward: fc.constantFrom(0, 0.5, 1),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(row, { maxLength: 60 }), (rows) => {
        const found = check(rows).flat_groups;
        const groups = new Map<string, number[]>();
        for (const { step, group, reward } of rows)
          if (group !== undefined && reward !== undefined)
            groups.set(`${step} ${group}`, [...(groups.get(`${step} ${group}`) ?? []), reward]);
        const many = [...groups.values()].filter((rewards) => rewards.length > 1);
        const flat = many.filter((rewards) => new Set(rewards).size === 1);
        expect([found.groups, found.flat]).toEqual([many.length, flat.length]);
        expect(found.per_step.reduce((sum, { count }) => sum + count, 0)).toBe(flat.length);
        expect(found.per_step.reduce((sum, { of }) => sum + of, 0)).toBe(many.length);
        const all = rows.flatMap(({ reward }) => reward ?? []);
        const [low, high] = [Math.min(...all), Math.max(...all)];
        const at = (end: number): number =>
          low === high ? 0 : flat.filter(([first]) => first === end).length;
        expect([found.flat_worst, found.flat_best]).toEqual([at(low), at(high)]);
      }),
    );
  });

  it("are too many beyond half, and judged from ten groups on", () => {
    expect(check(pairs(10, 5)).flat_groups).toMatchObject({ outcome: "within", value: 0.5, limit: 0.5 });
    expect(check(pairs(10, 6)).flat_groups).toMatchObject({ outcome: "beyond", flat: 6, flat_best: 6 });
    expect(check(pairs(9, 9)).flat_groups).toMatchObject({ outcome: "too_few", value: 1 });
    expect(check([{ reward: 1 }]).flat_groups).toMatchObject({ outcome: "unknown", value: null });
  });

  it("are listed by step, ascending, whatever order they came in, and unknown steps last", () => {
    const steps = [30, undefined, 4, 200, 11];
    const rows = steps.flatMap((step) =>
      [0, 1].map((reward) => ({ ...(step !== undefined && { step }), group: "a", reward })),
    );
    const order = (some: readonly Drawn[]) => check(some).flat_groups.per_step.map(({ step }) => step);
    expect(order(rows)).toEqual([4, 11, 30, 200, null]);
    expect(order([...rows].reverse())).toEqual([4, 11, 30, 200, null]);
  });

  it("keep the same prompt of two steps apart", () => {
    const rows = [1, 1, 2, 2].map((step, at) => ({ step, group: "a", reward: at < 2 ? 1 : at }));
    expect(check(rows).flat_groups.per_step).toEqual([
      { step: 1, count: 1, of: 1 },
      { step: 2, count: 0, of: 1 },
    ]);
  });
});

describe("truncated responses", () => {
  const reasons = (count: number, cut: number, word = "length"): Drawn[] =>
    Array.from({ length: count }, (_, at) => ({
      step: 3,
      finish: at < cut ? word : "stop",
      reward: at < cut ? 0.25 : 0.75,
    }));

  it("are those that the engine says it cut, in its own spelling", () => {
    for (const word of ["length", "MAX_TOKENS", "truncated", "max_length", "Max_Model_Len"])
      expect(check(reasons(40, 5, word)).truncation).toMatchObject({
        basis: "finish_reason",
        outcome: "beyond",
        truncated: 5,
        sequences: 40,
        reasons: [word],
        reward_truncated: 0.25,
        reward_rest: 0.75,
        per_step: [{ step: 3, count: 5, of: 40 }],
      });
    expect(check(reasons(40, 4)).truncation).toMatchObject({ outcome: "within", value: 0.1 });
    expect(check(reasons(29, 29)).truncation.outcome).toBe("too_few");
    expect(check(reasons(40, 5, "abort")).truncation).toMatchObject({ truncated: 0, reasons: [] });
  });

  it("are guessed from three responses of exactly the largest length where no engine says it", () => {
    const lengths = (...long: number[]): Drawn[] =>
      Array.from({ length: 40 }, (_, at) => ({ tokens: long[at] ?? at }));
    expect(check(lengths(64, 64, 64)).truncation).toMatchObject({
      basis: "longest",
      truncated: 3,
      longest: 64,
      sequences: 40,
    });
    expect(check(lengths(64, 64)).truncation).toMatchObject({ basis: null, outcome: "unknown", value: null });
  });

  it("do not count sequences without a reason where most have one", () => {
    const rows = [...reasons(40, 4), ...Array.from({ length: 20 }, () => ({ tokens: 10 }))];
    expect(check(rows).truncation).toMatchObject({ basis: "finish_reason", sequences: 40, truncated: 4 });
  });
});

describe("staleness", () => {
  type Part = readonly [staleness: number, tokens: number];
  const parts = (...all: readonly Part[]): StalenessMetrics[] =>
    all.map(([staleness, tokens]) => ({ staleness, tokens, delta_abs_mean: 0.5 }) as StalenessMetrics);

  it("is that of the oldest tokens, and beyond four versions too much", () => {
    const found = (...all: readonly Part[]) => checkHealth(makeTable([]), parts(...all)).staleness;
    expect(found([4, 10], [0, 30])).toMatchObject({ outcome: "within", value: 4, mean: 1, tokens: 40 });
    expect(found([0, 30], [5, 10])).toMatchObject({ outcome: "beyond", value: 5 });
    expect(found([0, 30], [5, 0])).toMatchObject({ outcome: "within", value: 0 });
    expect(found([1, 5], [0, 5]).parts.map(({ staleness }) => staleness)).toEqual([0, 1]);
    expect(found([1, 5]).parts[0]!.delta_abs_mean).toBe(0.5);
    expect(found()).toMatchObject({ outcome: "unknown", value: null, mean: null });
  });
});

describe("reward against length", () => {
  /** Prompts differ far more in length than their samples do: only what is within a prompt counts. */
  const answers = (slope: number): Drawn[] =>
    Array.from({ length: 60 }, (_, at) => ({
      group: `g${at % 15}`,
      step: 1,
      tokens: 1000 * (at % 15) + Math.floor(at / 15),
      reward: slope * Math.floor(at / 15) - (at % 15),
    }));

  it("is correlated within prompts, whatever the prompts are like", () => {
    for (const slope of [2, -2]) {
      const { reward_length: found } = check(answers(slope));
      expect(found).toMatchObject({ outcome: "beyond", within: "group", sequences: 60 });
      expect(found.value).toBeCloseTo(Math.sign(slope), 6);
    }
  });

  it("is beyond its limit only where the whole interval is", () => {
    // r = 0.6 over 32 pairs: 0.31 to 0.78; over 30 pairs the interval reaches below 0.3.
    const rows = (count: number): Drawn[] =>
      Array.from({ length: count }, (_, at) => {
        const [x, noise] = [at % 2 === 0 ? 1 : -1, at % 4 < 2 ? 1 : -1];
        return { step: 1, tokens: 100 + x, reward: 0.6 * x + 0.8 * noise };
      });
    const [wide, narrow] = [check(rows(32)).reward_length, check(rows(400)).reward_length];
    expect(wide.within).toBe("step");
    expect(wide.value).toBeCloseTo(0.6, 6);
    expect([wide.outcome, wide.interval![0] > 0.3]).toEqual(["beyond", true]);
    expect(narrow.outcome).toBe("beyond");
    const weak = rows(32).map((row) => ({ ...row, reward: row.reward! + (row.tokens! > 100 ? -0.3 : 0.3) }));
    const { reward_length: below } = check(weak);
    expect([below.outcome, below.value! > 0.3, below.interval![0] < 0.3]).toEqual(["within", true, true]);
    expect(check(rows(28)).reward_length.outcome).toBe("too_few");
    expect(check(rows(30)).reward_length.outcome).not.toBe("too_few");
    expect(check(rows(1)).reward_length).toMatchObject({ outcome: "unknown", value: null, interval: null });
  });

  it("has tenths of the sequences, shortest first, with their mean reward", () => {
    const rows = Array.from({ length: 25 }, (_, at) => ({ tokens: 25 - at, reward: at }));
    const { tenths } = check(rows).reward_length;
    expect(tenths).toHaveLength(10);
    expect(tenths[0]).toEqual({ shortest: 1, longest: 2, sequences: 2, reward_mean: 23.5 });
    expect(tenths.at(-1)).toEqual({ shortest: 23, longest: 25, sequences: 3, reward_mean: 1 });
    expect(check(rows.slice(0, 9)).reward_length.tenths).toEqual([]);
    // Without a reward there is no mean to show.
    const more = [...rows, { tokens: 1 }, { tokens: 99 }];
    expect(check(more).reward_length.tenths).toEqual(tenths);
  });

  it("is judged, without groups, of steps with two or more known rewards", () => {
    const rows = [1, 1, 2, 3, 3].map((step, at) => ({ step, tokens: 10 + at, reward: at % 2 }));
    expect(check(rows).reward_length).toMatchObject({ within: "step", sequences: 4 });
    const without = rows.map(({ reward, ...row }, at) => (at === 0 ? row : { ...row, reward }));
    expect(check(without).reward_length.sequences).toBe(2);
  });

  it("and each other check has its own name", () => {
    expect(Object.entries(check([])).map(([key, { id }]) => [key, id])).toEqual(
      ["flat_groups", "truncation", "staleness", "reward_length"].map((id) => [id, id]),
    );
  });
});
