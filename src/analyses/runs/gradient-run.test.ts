import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { openRun } from "../../ingest/open-run.ts";
import { compileFilter } from "./filter-option.ts";
import { reportRun } from "./report-run.ts";

const DEMO = fileURLToPath(new URL("../../../examples/demo/stale", import.meta.url));

/** Every token of the demo with mask 1, as a plain list. */
async function listTokens(filter?: string) {
  const compiled = filter === undefined ? undefined : await compileFilter({ filter });
  const tokens: { advantage: number; delta: number; sequence: string; group: string }[] = [];
  for await (const read of (await openRun([DEMO], {})).batches()) {
    const batch = compiled === undefined ? read : compiled.apply(read);
    for (let row = 0; row < (batch?.length ?? 0); row++) {
      for (let t = batch!.offsets[row]!; t < batch!.offsets[row + 1]!; t++) {
        const delta = batch!.trainerLogprobs![t]! - batch!.rolloutLogprobs![t]!;
        if (batch!.responseMask[t] === 0 || !Number.isFinite(delta)) continue;
        const sequence = `s${batch!.steps[row]}.q${batch!.rows[row]}`;
        tokens.push({
          advantage: batch!.advantages![t]!,
          delta,
          sequence,
          group: `${batch!.steps[row]} ${batch!.groupIds[row]}`,
        });
      }
    }
  }
  return tokens;
}

it.each([undefined, "correct:no turn:1"])(
  "is what plain sums over the demo give, filter %s",
  async (filter) => {
    const [report, tokens] = await Promise.all([
      reportRun(DEMO, filter === undefined ? {} : { filter }),
      listTokens(filter),
    ]);
    const gradient = report.gradient!;
    const sum = (of: typeof tokens, value: (token: (typeof tokens)[number]) => number): number =>
      of.reduce((total, token) => total + value(token), 0);
    const k3 = ({ delta }: { delta: number }): number => Math.expm1(delta) - delta;
    const impact = (token: (typeof tokens)[number]): number => token.advantage * Math.expm1(token.delta);
    const zero = tokens.filter(({ advantage }) => advantage === 0);
    const near = (found: number, wanted: number): void =>
      expect(Math.abs(found - wanted)).toBeLessThanOrEqual(1e-9 * (1 + Math.abs(wanted)));

    expect(gradient.tokens).toBe(report.metrics.tokens);
    expect(gradient.tokens).toBe(tokens.length);
    near(gradient.zero_advantage_share, zero.length / tokens.length);
    near(gradient.k3_share_at_zero, sum(zero, k3) / sum(tokens, k3));
    const all = sum(tokens, ({ advantage }) => Math.abs(advantage));
    near(gradient.impact_relative, sum(tokens, (token) => Math.abs(impact(token))) / all);
    near(gradient.surrogate_change, sum(tokens, impact) / all);

    const left = [...new Set(tokens.map(({ group }) => group))].map((group) => {
      const rest = tokens.filter((token) => token.group !== group);
      return (
        sum(
          rest.filter(({ advantage }) => advantage === 0),
          k3,
        ) / sum(rest, k3)
      );
    });
    near(gradient.k3_share_at_zero_leave_one_out![0], Math.min(...left));
    near(gradient.k3_share_at_zero_leave_one_out![1], Math.max(...left));

    const bySequence = new Map<string, number>();
    for (const token of tokens)
      bySequence.set(token.sequence, (bySequence.get(token.sequence) ?? 0) + Math.abs(impact(token)));
    const [worst, size] = [...bySequence].sort(([, a], [, b]) => b - a)[0]!;
    expect(gradient.worst_sequences[0]!.handle).toBe(worst);
    near(gradient.worst_sequences[0]!.impact, size);
    near(
      Math.abs(gradient.worst_tokens[0]!.impact),
      Math.max(...tokens.map((token) => Math.abs(impact(token)))),
    );
  },
);

it("says of the demo what does not reach its gradient", async () => {
  const { gradient } = await reportRun(DEMO);
  expect(gradient!.sentence).toBe(
    "78.0 % of k3 lies at advantage 0, outside the policy gradient (51.6 % of the tokens, 7 of the 10 worst; without any one prompt 5.9 % to 84.0 %)",
  );
});
