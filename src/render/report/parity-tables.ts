import { formatNumber, formatPair } from "../../core/text/index.ts";
import type { MismatchReport, ParityBlock } from "../../results/report.ts";
import { makeTable, type Table, textColumn } from "../document/table.ts";

/** One table for each trainer: its own keys as logged, and the correct value if that differs. */
export function parityTables(report: MismatchReport): Table[] {
  return report.parity.map((block) => parityTable(block, "parity[].per_step"));
}

/** @param perStep Where `--json` has the values of each step. */
export function parityTable(
  block: Pick<ParityBlock, "trainer" | "source" | "metrics" | "discrepancies">,
  perStep: string,
): Table {
  const discrepancies = new Map(block.discrepancies.map((discrepancy) => [discrepancy.key, discrepancy]));
  const keys = [...new Set([...Object.keys(block.metrics), ...discrepancies.keys()])];
  const rows = keys.map((key) => {
    const discrepancy = discrepancies.get(key);
    if (discrepancy === undefined)
      return { key, logged: formatNumber(block.metrics[key]), correct: "", reason: "" };
    const [logged, correct] = formatPair(discrepancy.logged, discrepancy.correct);
    return { key, logged, correct, reason: discrepancy.reason };
  });
  return makeTable(
    `parity-${block.trainer}`,
    `As ${block.trainer} logs it`,
    [
      textColumn(
        "key",
        rows.map((row) => row.key),
      ),
      textColumn(
        "as logged",
        rows.map((row) => row.logged),
        { align: "right" },
      ),
      ...(discrepancies.size === 0
        ? []
        : [
            textColumn(
              "correct",
              rows.map((row) => row.correct),
              { align: "right" as const },
            ),
            textColumn(
              "why they differ",
              rows.map((row) => row.reason),
              { priority: 2, wrap: true },
            ),
          ]),
    ],
    `formulas and quirks of ${block.source}; ` +
      `${discrepancies.size === 0 ? "" : "“correct” is empty where the logged figure is right; "}values of each step: ` +
      `${perStep} of --json`,
  );
}
