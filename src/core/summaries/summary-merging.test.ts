import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { COUNT, DELTA_MEAN } from "../kernels/layout.ts";
import { mismatchSums } from "../kernels/mismatch.ts";
import type { TokenBlock } from "../kernels/token-block.ts";
import { MismatchSummary, type SummaryOptions } from "./mismatch-summary.ts";

/** Log-ratios of tokens with mask 1 by turn, of one sequence. */
type Sequence = readonly (readonly { readonly rollout: number; readonly delta: number }[])[];
/** What one unit (a batch of a file) holds. */
type Unit = readonly Sequence[];

const token = fc.record({
  rollout: fc.integer({ min: -64, max: -1 }).map((n) => n / 16),
  delta: fc.integer({ min: -48, max: 48 }).map((n) => n / 16),
});
const sequence: fc.Arbitrary<Sequence> = fc.array(fc.array(token, { minLength: 1, maxLength: 4 }), {
  maxLength: 3,
});
const units: fc.Arbitrary<Unit[]> = fc.array(fc.array(sequence, { maxLength: 4 }), {
  minLength: 1,
  maxLength: 6,
});

/** Packed sequences; a token of mask 0 lies between two turns. */
function pack(unit: Unit): TokenBlock {
  const rows = unit.map((turns) =>
    turns.flatMap((turn, at) => [
      ...(at > 0 ? [{ rollout: -1, delta: 9, mask: 0 }] : []),
      ...turn.map((one) => ({ ...one, mask: 1 })),
    ]),
  );
  const flat = rows.flat();
  const offsets = new Int32Array(rows.length + 1);
  rows.forEach((row, at) => {
    offsets[at + 1] = offsets[at]! + row.length;
  });
  return {
    rollout: Float64Array.from(flat, ({ rollout }) => rollout),
    trainer: Float64Array.from(flat, ({ rollout, delta }) => rollout + delta),
    mask: Uint8Array.from(flat, ({ mask }) => mask),
    offsets,
  };
}

function addUnit(summary: MismatchSummary, name: string, unit: Unit): void {
  const block = pack(unit);
  summary.beginUnit(name);
  const table = mismatchSums(block, { sink: (tokens) => summary.addTokens(tokens) });
  const FIELDS = table.rows.length / Math.max(1, unit.length);
  for (let row = 0; row < unit.length; row++) summary.addSequence(table.rows, row * FIELDS);
  summary.addTurns(table.turns, table.turnRows);
}

const readAgain = (summary: MismatchSummary): MismatchSummary =>
  MismatchSummary.fromJSON(JSON.parse(JSON.stringify(summary)) as ReturnType<MismatchSummary["toJSON"]>);

describe("summaries of parts", () => {
  it("merge to the bits of the whole, in any order and tree, sent as JSON or not, read in between or not", () => {
    fc.assert(
      fc.property(units, fc.infiniteStream(fc.nat()), fc.boolean(), (all, picks, sent) => {
        const whole = new MismatchSummary();
        all.forEach((unit, at) => {
          addUnit(whole, `unit ${at}`, unit);
        });
        let parts = all.map((unit, at) => {
          const part = new MismatchSummary();
          addUnit(part, `unit ${at}`, unit);
          return part;
        });
        while (parts.length > 1) {
          const [into] = parts.splice(picks.next().value % parts.length, 1);
          const [from] = parts.splice(picks.next().value % parts.length, 1);
          // Looking at figures changes nothing of what they come to later.
          expect(into!.sums[COUNT]).toBeGreaterThanOrEqual(0);
          into!.merge(sent ? readAgain(from!) : from!);
          parts = [...parts, into!];
        }
        expect(parts[0]!.toJSON()).toEqual(whole.toJSON());
        expect(parts[0]!.sums).toEqual(whole.sums);
        expect(parts[0]!.sequences).toEqual(whole.sequences);
        expect(parts[0]!.turns).toEqual(whole.turns);
      }),
      { numRuns: 60 },
    );
  });

  it("hold what the definitions give over all sequences and turns", () => {
    fc.assert(
      fc.property(units, (all) => {
        const summary = new MismatchSummary();
        all.forEach((unit, at) => {
          addUnit(summary, `${at}`, unit);
        });
        const sequences = all.flat().map((turns) => turns.flat());
        const own = sequences.filter(({ length }) => length > 0);
        const tokens = sequences.flat();
        expect(summary.sums[COUNT]).toBe(tokens.length);
        const { sequences: sums } = summary;
        expect([sums.count, sums.empty]).toEqual([own.length, sequences.length - own.length]);
        const average = (values: readonly number[]) =>
          values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
        const total = (of: (one: (typeof own)[number]) => number) =>
          own.reduce((sum, one) => sum + of(one), 0);
        const delta = (one: (typeof own)[number]) => average(one.map((each) => each.delta));
        const rollout = (one: (typeof own)[number]) => average(one.map((each) => each.rollout));
        const isNear = (ours: number, meant: number) =>
          expect(Math.abs(ours - meant)).toBeLessThan(1e-9 * Math.max(1, Math.abs(meant)));
        isNear(summary.sums[DELTA_MEAN]!, average(tokens.map((one) => one.delta)));
        isNear(
          sums.rolloutLogPpl,
          total((one) => -rollout(one)),
        );
        isNear(
          sums.trainerLogPpl,
          total((one) => -rollout(one) - delta(one)),
        );
        isNear(
          sums.rolloutPpl,
          total((one) => Math.exp(-rollout(one))),
        );
        isNear(
          sums.trainerPpl,
          total((one) => Math.exp(-rollout(one) - delta(one))),
        );
        isNear(
          sums.pplRatioExcess,
          total((one) => Math.exp(-delta(one)) - 1),
        );
        isNear(
          sums.diffAbs,
          total((one) => Math.abs(delta(one))),
        );
        const mean = average(own.map((one) => -delta(one)));
        isNear(sums.diffMean, mean);
        isNear(
          sums.diffM2,
          total((one) => (-delta(one) - mean) ** 2),
        );
        const ratio = (one: (typeof own)[number]) =>
          Math.exp(Math.min(20, Math.max(-20, delta(one) * one.length))) - 1;
        const ratioMean = average(own.map(ratio));
        isNear(sums.ratioExcessMean, ratioMean);
        isNear(
          sums.ratioExcessM2,
          total((one) => (ratio(one) - ratioMean) ** 2),
        );
        isNear(
          sums.chi2,
          total((one) => (ratio(one) + 1) ** 2 - 1),
        );
        expect(sums.lengthMax).toBe(Math.max(0, ...own.map(({ length }) => length)));
        if (own.length > 0) {
          isNear(sums.diffMax, Math.max(...own.map((one) => -delta(one))));
          isNear(sums.diffMin, Math.min(...own.map((one) => -delta(one))));
        }
        const turns = all.flat().map((turns) => turns);
        summary.turns.forEach((turn, at) => {
          const there = turns.filter(({ length }) => length > at).map((one) => one[at]!);
          expect(turn.sequences).toBe(there.length);
          expect(turn.sums[COUNT]).toBe(there.flat().length);
          isNear(turn.sums[DELTA_MEAN]!, average(there.flat().map((one) => one.delta)));
        });
        expect(summary.turns.length).toBe(Math.max(0, ...turns.map(({ length }) => length)));
      }),
      { numRuns: 100 },
    );
  });

  it("of a slice hold the same sums, without what only the whole is asked for", () => {
    const slice = new MismatchSummary({ detail: "slice" });
    addUnit(slice, "a", [[[{ rollout: -1, delta: 0.5 }]]]);
    expect([slice.probDiffs, slice.clusters]).toEqual([undefined, undefined]);
    const again = readAgain(slice);
    expect(again.detail).toBe("slice");
    expect(again.toJSON()).toEqual(slice.toJSON());
    expect(again.sums[DELTA_MEAN]).toBe(0.5);
  });

  it("are of a block what its sequences, turns and tokens give one by one", () => {
    fc.assert(
      fc.property(
        units,
        fc.constantFrom({}, { detail: "slice" } as const, { clusters: 2 }),
        ([unit], options) => {
          const summary = new MismatchSummary(options);
          addUnit(summary, "", unit!);
          const whole = MismatchSummary.of(pack(unit!), options);
          expect(whole.toJSON()).toEqual(summary.toJSON());
          expect(whole.probDiffs?.toJSON()).toEqual(summary.probDiffs?.toJSON());
        },
      ),
    );
  });

  it("keep as many clusters apart as asked, and those of equal log-probs together", () => {
    const of = (options: SummaryOptions, deltas: readonly number[]): number | undefined =>
      MismatchSummary.of(pack(deltas.map((delta) => [[{ rollout: -1, delta }]])), options).clusters?.count;
    expect(of({}, [1, 2, 2, 3])).toBe(3);
    expect(of({ clusters: 1 }, [1, 2])).toBe(1);
    expect(of({ clusters: 0 }, [1, 2])).toBeUndefined();
    expect(of({ detail: "slice" }, [1, 2])).toBeUndefined();
    expect(of({ detail: "slice", clusters: 2 }, [1, 2])).toBe(2);
  });

  it("go on in a unit that is begun again", () => {
    const one: Sequence = [[{ rollout: -1, delta: 0.5 }]];
    const [again, once] = [new MismatchSummary(), new MismatchSummary()];
    for (const name of ["a", "a"]) addUnit(again, name, [one]);
    addUnit(once, "a", [one, one]);
    expect(again.toJSON()).toEqual(once.toJSON());
    // Reading what is there does not end a unit.
    expect(again.turns[0]!.sequences).toBe(2);
    addUnit(again, "a", [one]);
    addUnit(once, "a", [one]);
    expect(again.toJSON()).toEqual(once.toJSON());
  });
});
