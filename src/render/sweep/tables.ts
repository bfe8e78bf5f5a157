/**
 * The tables of a sweep, as every medium shows them.
 *
 * @module
 */
import type { DroppedGroup, SweepReport, SweepSetting } from "../../results/index.ts";
import { figureColumn, makeTable, type Table, type TableColumn, textColumn } from "../document/index.ts";
import { formatShare, formatSigned, isFigure, plural } from "../text/index.ts";

/** Of settings that drop less than this the dropped part is too small to describe. */
const LEAST_DROPPED = 1e-3;

/** What each setting keeps and costs. */
export function settingTable(report: SweepReport, rows: readonly SweepSetting[]): Table {
  const of = (pick: (setting: SweepSetting) => number | null): (number | null)[] => rows.map(pick);
  const hidden = report.settings.length - rows.length;
  const columns: TableColumn[] = [
    textColumn(
      "",
      rows.map(({ name, on_front }) => formatMarks(report, name, on_front)),
      { priority: 1 },
    ),
    textColumn(
      "setting",
      rows.map(({ name }) => name),
      { priority: 1 },
    ),
    figureColumn(
      "ESS",
      "near-one",
      of(({ ess_tokens }) => ess_tokens),
      { priority: 1, worst: "least" },
    ),
    figureColumn(
      "moved",
      "share",
      of(({ mass_moved }) => mass_moved),
      { priority: 1 },
    ),
    figureColumn(
      "dropped",
      "share",
      of(({ dropped }) => dropped.tokens_share),
      { priority: 1 },
    ),
    figureColumn(
      "sequences",
      "share",
      of(({ dropped }) => dropped.sequences_share),
      { priority: 2 },
    ),
    figureColumn(
      "max w",
      "number",
      of(({ weight_max }) => weight_max),
      { priority: 2 },
    ),
    ...(report.metrics.groups === null
      ? []
      : [
          figureColumn(
            "groups",
            "count",
            of(({ dropped }) => dropped.groups_lost),
            { priority: 2 },
          ),
        ]),
    ...(report.metrics.reward_mean === null
      ? []
      : [
          textColumn(
            "reward",
            rows.map(({ dropped }) => formatShift(dropped.reward_shift)),
            { priority: 2, align: "right" },
          ),
        ]),
    figureColumn(
      "truncated",
      "share",
      of(({ truncated_share }) => truncated_share),
      { priority: 4 },
    ),
    figureColumn(
      "ESS seq",
      "near-one",
      of(({ ess_sequences }) => ess_sequences),
      { priority: 3 },
    ),
    figureColumn(
      "mean w",
      "near-one",
      of(({ weight_mean }) => weight_mean),
      { priority: 6 },
    ),
    figureColumn(
      "budget",
      "count",
      of(({ token_budget }) => token_budget?.ess_half ?? null),
      { priority: 5 },
    ),
  ];
  const title = hidden === 0 ? "Settings" : `Settings, ${rows.length} of ${report.settings.length}`;
  return makeTable("settings", title, columns);
}

/** What the columns of {@link settingTable} mean, but for those in `without`. */
export function settingLegend({ metrics }: SweepReport, without: readonly string[] = []): string {
  const meanings: Readonly<Record<string, string>> = {
    ESS: "(Σw)²/(n Σw²) over all tokens, dropped ones as 0; without weights, of the kept tokens' own ratios",
    moved: "share of weight mass that truncation and dropping take away, or a lower clamp adds",
    dropped: "share of tokens",
    sequences: "share of sequences dropped whole",
    "max w": "largest weight",
    ...(metrics.groups !== null && { groups: `of ${metrics.groups} GRPO groups, those without a survivor` }),
    ...(metrics.reward_mean !== null && {
      reward: "by how many standard deviations dropping moves the mean",
    }),
    "ESS seq": "of the sequences' mean weights",
    budget: "tokens after which products of kept ratios have an ESS below one half",
    truncated: "share of tokens whose weight was clamped",
  };
  const told = Object.entries(meanings).filter(([name]) => !without.includes(name));
  return [
    "* Pareto front of ESS against moved; > recommended",
    ...told.map(([name, meaning]) => `${name}: ${meaning}`),
  ].join(". ");
}

/** Who is dropped, for the rows that drop more than a few tokens; undefined where none does. */
export function droppedTable(report: SweepReport, rows: readonly SweepSetting[]): Table | undefined {
  const dropping = rows.filter(({ dropped }) => dropped.tokens_share >= LEAST_DROPPED);
  if (dropping.length === 0) return undefined;
  const of = (pick: (setting: SweepSetting) => number | null): (number | null)[] => dropping.map(pick);
  const lengths = dropping[0]!.dropped.by_length;
  const turns = dropping[0]!.dropped.by_turn;
  const columns: TableColumn[] = [
    textColumn(
      "setting",
      dropping.map(({ name }) => name),
      { priority: 1 },
    ),
    ...(report.metrics.reward_mean === null
      ? []
      : [
          figureColumn(
            "R kept",
            "number",
            of(({ dropped }) => dropped.reward_kept),
            { priority: 2 },
          ),
          figureColumn(
            "R dropped",
            "number",
            of(({ dropped }) => dropped.reward_dropped),
            { priority: 1 },
          ),
        ]),
    // Many trainers record a reward that is the correctness: once is enough.
    ...(report.metrics.accuracy === null || report.metrics.accuracy === report.metrics.reward_mean
      ? []
      : [
          figureColumn(
            "right kept",
            "share",
            of(({ dropped }) => dropped.accuracy_kept),
            { priority: 4 },
          ),
          figureColumn(
            "right dropped",
            "share",
            of(({ dropped }) => dropped.accuracy_dropped),
            {
              priority: 3,
            },
          ),
        ]),
    ...(dropping[0]!.dropped.by_advantage === null
      ? []
      : [
          figureColumn(
            "A>0",
            "share",
            of(({ dropped }) => dropped.by_advantage?.positive ?? null),
            {
              priority: 1,
            },
          ),
          figureColumn(
            "A<0",
            "share",
            of(({ dropped }) => dropped.by_advantage?.negative ?? null),
            {
              priority: 1,
            },
          ),
        ]),
    ...findEnds(lengths, (group) => `${group.from}–${group.to} tokens`).map(({ header, at }) =>
      figureColumn(
        header,
        "share",
        of(({ dropped }) => dropped.by_length[at]?.dropped_share ?? null),
        {
          priority: 3,
        },
      ),
    ),
    ...(turns.length < 2
      ? []
      : findEnds(turns, (group) => `turn ${group.from}${group.to === null ? "+" : ""}`)
    ).map(({ header, at }) =>
      figureColumn(
        header,
        "share",
        of(({ dropped }) => dropped.by_turn[at]?.dropped_share ?? null),
        {
          priority: 4,
        },
      ),
    ),
  ];
  const note =
    "R: mean reward. Then the share dropped of the tokens with positive and negative advantage, of the shortest and longest quarter of the sequences, of the first and last turn.";
  return makeTable("dropped", "Who is dropped", columns, note);
}

/** The first and the last group; --json has those between. */
function findEnds(
  groups: readonly DroppedGroup[],
  header: (group: DroppedGroup) => string,
): { readonly header: string; readonly at: number }[] {
  const ends = groups.length < 2 ? [0] : [0, groups.length - 1];
  return ends.flatMap((at) => (groups[at] === undefined ? [] : [{ header: header(groups[at]), at }]));
}

function formatMarks(report: SweepReport, name: string, onFront: boolean): string {
  return `${name === report.recommendation.setting ? ">" : ""}${onFront ? "*" : ""}`;
}

function formatShift(shift: number | null): string {
  if (!isFigure(shift)) return "n/a";
  return Math.abs(shift) < 5e-4 ? "0" : formatSigned(shift, 2);
}

/** `54,994 tokens in 768 sequences …`, in parts. */
export function inputParts({ metrics, excluded }: SweepReport): string[] {
  const left = excluded.missing + excluded.delta_negative_infinite + excluded.delta_positive_infinite;
  return [
    plural(metrics.sequences, "sequence"),
    plural(metrics.tokens, "token"),
    ...(metrics.groups === null ? [] : [plural(metrics.groups, "group")]),
    ...(metrics.turns_max > 1 ? [`up to ${plural(metrics.turns_max, "turn")}`] : []),
    `${plural(metrics.settings, "setting")} tried`,
    `${formatShare(metrics.ratio_outside)} of ratios outside 1/2 to 2`,
    ...(left > 0 ? [`${plural(left, "token")} left out: no finite Δ`] : []),
  ];
}
