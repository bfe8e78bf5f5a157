import { expect, it } from "vitest";
import { formatNumber } from "../../core/text/format.ts";
import type { MismatchReport } from "../../results/report.ts";
import type { TokenOccurrence, TopTokens, WorstTurn } from "../../results/view.ts";
import { firstLooks, placeTables } from "./place-tables.ts";

const TURN: WorstTurn = {
  sequence: 7,
  handle: "s30.q7",
  turn: 2,
  first: 12,
  worst: 15,
  tokens: 9,
  delta_abs_mean: 0.5,
  delta_abs_max: 3,
  opening: "so\n<b>\u202e",
  step: 30,
  correct: 0,
};
const TOKEN: TokenOccurrence = {
  sequence: 7,
  token: 15,
  handle: "s30.q7.t15",
  token_id: 4,
  text: "\n",
  before: `${"x".repeat(100)}y`,
  after: "z",
  delta: -3,
  rollout_logprob: Math.log(0.5),
  trainer_logprob: Math.log(0.025),
  turn: 2,
  step: 30,
  correct: 0,
};
const NO_SEQUENCES = { worst_sequences: [] as MismatchReport["worst_sequences"] } as MismatchReport;

function top(turns: TopTokens["turns"], occurrences: readonly TokenOccurrence[] = []): TopTokens {
  return { occurrences, by_token: [], by_class: [], by_position: [], by_turn: [], turns };
}

it("leads to the turn's first token and to the token, with texts that move no cursor", () => {
  const given = top({ by_mean: [TURN], by_max: [] }, [TOKEN]);
  expect(firstLooks(NO_SEQUENCES, given)).toEqual([
    {
      label: "Worst turn",
      place: "s30.q7 turn 2",
      move: { view: "sequence", sequence: 7, token: 12 },
      text: "mean |Δ| 0.500 over 9 tokens",
      context: ["", "", "so⏎<b>\\u202e"],
    },
    {
      label: "Worst token",
      place: "s30.q7.t15",
      move: { view: "sequence", sequence: 7, token: 15 },
      text: "Δ −3.00: p 0.500 in rollout, 0.0250 in trainer",
      context: [`${"x".repeat(31)}y`, "⏎", "z"],
    },
  ]);
  const [turns, tokens] = placeTables(given);
  expect(turns?.links).toEqual([{ view: "sequence", sequence: 7, token: 12 }]);
  expect(turns?.raw?.()[0]).toMatchObject({ step: 30, opening: TURN.opening });
  expect(tokens?.columns.at(-1)?.contexts?.[0]?.[1]).toBe("⏎");
});

it("names turns by their largest token where none is long enough for a mean", () => {
  const short = { ...TURN, tokens: 2, opening: null };
  const given = top({ by_mean: [], by_max: [short] }, [{ ...TOKEN, text: null, before: null, after: null }]);
  const [look, token] = firstLooks(NO_SEQUENCES, given);
  expect(look?.text).toBe(`largest |Δ| ${formatNumber(short.delta_abs_max)} over 2 tokens`);
  expect(look).not.toHaveProperty("context");
  expect(token).not.toHaveProperty("context");
  const tables = placeTables(given);
  expect(tables.map(({ id }) => id)).toEqual(["worst-turns", "worst-tokens"]);
  expect(tables[1]?.columns.map(({ header }) => header)).toContain("token id");
});

it("shows the text of the worst sequence and of the worst place for the gradient, where it is known", () => {
  const report = {
    worst_sequences: [{ handle: "s30.q7", delta_abs_mean: 0.5, delta_sum: -4.5, tokens: 9 }],
    gradient: { worst_tokens: [{ handle: "s30.q71.t3", impact: 2, advantage: 1, delta: 0.5 }] },
  } as unknown as MismatchReport;
  const other = { ...TOKEN, handle: "s30.q71.t3", text: "7", before: "= ", after: "." };
  const looks = (occurrences: readonly TokenOccurrence[]) =>
    firstLooks(report, top({ by_mean: [], by_max: [] }, occurrences)).slice(-2);
  expect(looks([other, TOKEN]).map(({ context }) => context)).toEqual([
    [`${"x".repeat(31)}y`, "⏎", "z"],
    ["= ", "7", "."],
  ]);
  // The sequence is ranked by |ΣΔ|, so a different one may have the larger mean |Δ|.
  expect(looks([other]).map(({ label, text }) => [label, text])).toContainEqual([
    "Worst sequence",
    "ΣΔ −4.50 nats, the largest |ΣΔ|: mean |Δ| 0.500 over 9 tokens",
  ]);
  expect(looks([{ ...other, handle: "s30.q71.t4" }]).map(({ label, context }) => [label, context])).toEqual([
    ["Worst sequence", undefined],
    ["Worst for the gradient", undefined],
  ]);
});

it("has nothing to show of nothing", () => {
  expect(placeTables(top({ by_mean: [], by_max: [] })).map(({ rows }) => rows)).toEqual([0, 0]);
  expect(firstLooks(NO_SEQUENCES, top({ by_mean: [], by_max: [] }))).toEqual([]);
});
