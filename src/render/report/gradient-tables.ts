import { formatCount, formatNumber, formatShare, formatSigned } from "../../core/text/index.ts";
import type { GradientReport } from "../../results/gradient.ts";
import type { MismatchReport } from "../../results/report.ts";
import { figureColumn, makeTable, metricColumn, type Table, textColumn } from "../document/table.ts";

/**
 * What stands out: first the mismatch that does not reach the gradient, if known, then the facts, largest first.
 *
 * @param isBrief whether to leave out the brackets after the sentence on the gradient
 */
export function standoutTexts({ facts, gradient }: MismatchReport, most: number, isBrief = false): string[] {
  const sentence = gradient?.sentence ?? null;
  const ordered = [...facts].sort((a, b) => b.weight - a.weight).map(({ text }) => text);
  const all = sentence === null ? ordered : [isBrief ? sentence.replace(/ \(.*$/, "") : sentence, ...ordered];
  return all.slice(0, most);
}

/** How much of the mismatch reaches the policy gradient; no rows if advantages are unknown. */
export function gradientTable({ gradient }: MismatchReport): Table {
  const rows = gradient === null ? [] : gradientRows(gradient);
  const column = (at: number): string[] => rows.map((row) => row[at]!);
  return makeTable(
    "gradient",
    "In the policy gradient",
    [
      textColumn("figure", column(0)),
      textColumn("value", column(1), { align: "right" }),
      textColumn("what it is", column(2), { priority: 2, wrap: true }),
      textColumn("in --json", column(3), { priority: 4 }),
    ],
    "A is the advantage: a token has the weight A in the gradient, and would have A·ρ without the mismatch",
  );
}

function gradientRows(of: GradientReport): (readonly [string, string, string, keyof GradientReport])[] {
  const left = of.k3_share_at_zero_leave_one_out;
  const range =
    left === null ? "" : `; ${formatShare(left[0])} to ${formatShare(left[1])} with any one prompt left out`;
  return [
    [
      "tokens with A = 0",
      formatShare(of.zero_advantage_share),
      "share of the tokens",
      "zero_advantage_share",
    ],
    [
      "k3 at A = 0",
      formatShare(of.k3_share_at_zero),
      `share of Σ k3 that does not reach the policy gradient${range}`,
      "k3_share_at_zero",
    ],
    [
      "|Δ| at A = 0",
      formatShare(of.delta_abs_share_at_zero),
      "the same share of Σ |Δ|",
      "delta_abs_share_at_zero",
    ],
    ["mean impact", formatNumber(of.impact_mean), "mean |A|·|ρ − 1|", "impact_mean"],
    [
      "impact of |A|",
      formatShare(of.impact_relative),
      "Σ |A|·|ρ − 1| / Σ |A|: how far the weights in the gradient are off",
      "impact_relative",
    ],
    [
      "surrogate change",
      formatSigned(of.surrogate_change),
      "Σ A·(ρ − 1) / Σ |A|: what remains after the signs cancel",
      "surrogate_change",
    ],
    ["largest impact", formatNumber(of.impact_max), "largest |A|·|ρ − 1| of a token", "impact_max"],
    [
      "without advantage",
      formatCount(of.tokens_without_advantage),
      "tokens of the report that these figures leave out",
      "tokens_without_advantage",
    ],
    ...(of.tokens_overflowed === 0
      ? []
      : [
          [
            "overflowed",
            formatCount(of.tokens_overflowed),
            "tokens whose ρ exceeds 1.8e308, left out of these figures",
            "tokens_overflowed",
          ] as const,
        ]),
  ];
}

/** The tokens whose weight in the gradient is most wrong. */
export function gradientTokenTable({ gradient }: MismatchReport): Table {
  const tokens = gradient?.worst_tokens ?? [];
  return makeTable(
    "gradient-tokens",
    "Worst tokens for the gradient",
    [
      textColumn(
        "handle",
        tokens.map(({ handle }) => handle),
      ),
      figureColumn(
        "A·(ρ − 1)",
        "signed",
        tokens.map(({ impact }) => impact),
        { priority: 1 },
      ),
      figureColumn(
        "advantage",
        "signed",
        tokens.map(({ advantage }) => advantage),
        { priority: 1 },
      ),
      figureColumn(
        "Δ",
        "signed",
        tokens.map(({ delta }) => delta),
        { priority: 2 },
      ),
      figureColumn(
        "turn",
        "id",
        tokens.map(({ turn }) => turn),
        { priority: 4 },
      ),
      figureColumn(
        "token id",
        "id",
        tokens.map((token) => token.token_id),
        { priority: 3 },
      ),
      textColumn(
        "file",
        tokens.map(({ file }) => file),
        { priority: 4 },
      ),
    ],
    "by |A|·|ρ − 1|; A·(ρ − 1) = A·ρ − A is the part missing from the token's weight in the gradient",
  );
}

export function gradientSequenceTable({ gradient }: MismatchReport): Table {
  const rows = gradient?.worst_sequences ?? [];
  return makeTable("gradient-sequences", "Worst sequences for the gradient", [
    textColumn(
      "handle",
      rows.map(({ handle }) => handle),
    ),
    figureColumn(
      "Σ |A|·|ρ − 1|",
      "number",
      rows.map(({ impact }) => impact),
      { priority: 1, bars: true },
    ),
    figureColumn(
      "of all",
      "share",
      rows.map((row) => row.impact_share),
      { priority: 1 },
    ),
    figureColumn(
      "mean advantage",
      "signed",
      rows.map((row) => row.advantage_mean),
      { priority: 2 },
    ),
    figureColumn(
      "Σ A·(ρ − 1)",
      "signed",
      rows.map((row) => row.impact_signed),
      { priority: 2 },
    ),
    figureColumn(
      "tokens",
      "count",
      rows.map(({ tokens }) => tokens),
      { priority: 3 },
    ),
    metricColumn("delta_abs_mean", () => rows.map((row) => row.delta_abs_mean), { priority: 3 }),
    textColumn(
      "file",
      rows.map(({ file }) => file),
      { priority: 4 },
    ),
  ]);
}
