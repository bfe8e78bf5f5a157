import { formatCount, formatId } from "../../core/text/index.ts";
import { figureColumn, makeTable, metricColumn, type Table, textColumn } from "../document/table.ts";
import { HEALTH_TITLES, type HealthCheck } from "./words.ts";

/** The parts of a check: by step, by staleness, by length. */
export function healthTable(check: HealthCheck): Table {
  switch (check.id) {
    case "flat_groups":
      return makeStepTable(check, "groups", "without spread");
    case "truncation":
      return makeStepTable(check, "responses", "truncated");
    case "staleness":
      return makeStalenessTable(check);
    case "reward_length":
      return makeLengthTable(check);
  }
}

type Of<Id extends HealthCheck["id"]> = Extract<HealthCheck, { id: Id }>;

function makeStepTable(
  { id, per_step: steps }: Of<"flat_groups" | "truncation">,
  of: string,
  counted: string,
): Table {
  const names = steps.map(({ step }) => formatId(step));
  const totals = steps.map((step) => step.of);
  const counts = steps.map(({ count }) => count);
  const shares = steps.map((step) => step.count / step.of);
  return makeTable(id, `${HEALTH_TITLES[id]}, by step`, [
    textColumn("step", names),
    figureColumn(of, "count", totals),
    figureColumn(counted, "count", counts),
    figureColumn("share", "share", shares, { bars: true, worst: "most" }),
  ]);
}

function makeStalenessTable({ id, parts, tokens }: Of<"staleness">): Table {
  const ages = parts.map(({ staleness }) => formatCount(staleness));
  const counts = parts.map((part) => part.tokens);
  const shares = parts.map((part) => part.tokens / tokens);
  const distances = parts.map(({ delta_abs_mean }) => delta_abs_mean);
  return makeTable(id, "By staleness", [
    textColumn("versions behind", ages),
    figureColumn("tokens", "count", counts),
    figureColumn("share", "share", shares, { bars: true }),
    metricColumn("delta_abs_mean", () => distances, { worst: "most" }),
  ]);
}

function makeLengthTable({ id, tenths }: Of<"reward_length">): Table {
  const lengths = tenths.map(
    ({ shortest, longest }) => `${formatCount(shortest)} to ${formatCount(longest)}`,
  );
  const counts = tenths.map(({ sequences }) => sequences);
  const rewards = tenths.map(({ reward_mean }) => reward_mean);
  return makeTable(id, "Tenths of the sequences by length", [
    textColumn("response tokens", lengths),
    figureColumn("sequences", "count", counts),
    figureColumn("mean reward", "number", rewards),
  ]);
}
