/**
 * The page of a run's health: each check with its limit, its parts, and links to their samples.
 *
 * @module
 */

import { quoted } from "../../../analyses/filter/index.ts";
import { checkHealth } from "../../../analyses/health/index.ts";
import {
  describeCheck,
  describeLimit,
  HEALTH_TITLES,
  type HealthCheck,
  healthPicture,
  healthTable,
  OUTCOMES,
} from "../../../render/health/index.ts";
import type { HealthPage, MismatchReport, PageMove } from "../../../results/index.ts";
import type { SequenceTable } from "../../../results/wire/index.ts";
import { pageTable } from "./page-table.ts";
import { flatRows } from "./rows.ts";

/** Rows of a table that are shown at first. */
const FIRST = 8;

/** @param report over the same sequences */
export function healthPage(table: SequenceTable, { per_staleness }: MismatchReport): HealthPage {
  return { checks: Object.values(checkHealth(table, per_staleness)).map(drawCheck) };
}

function drawCheck(check: HealthCheck): HealthPage["checks"][number] {
  const raw = flatRows(listParts(check));
  const picture = healthPicture(check);
  const table = healthTable(check);
  const links = linkParts(check);
  return {
    title: HEALTH_TITLES[check.id],
    ...OUTCOMES[check.outcome],
    sentence: describeCheck(check),
    limit: describeLimit(check),
    samples: hasSamples(check) ? linkSamples(check) : null,
    picture: picture === undefined ? null : { id: table.id, svg: picture, raw },
    table: table.rows === 0 ? null : pageTable(table, { raw, first: FIRST, ...(links && { links }) }),
  };
}

function hasSamples(check: HealthCheck): boolean {
  return check.outcome !== "unknown" && (check.id !== "truncation" || check.truncated > 0);
}

function listParts(check: HealthCheck): readonly object[] {
  if (check.id === "staleness") return check.parts;
  return check.id === "reward_length" ? check.tenths : check.per_step;
}

/** A step links to its sequences. */
function linkParts(check: HealthCheck): (PageMove | null)[] | undefined {
  if (check.id !== "flat_groups" && check.id !== "truncation") return undefined;
  return check.per_step.map(({ step, count }) => {
    if (step === null) return null;
    const params = check.id === "flat_groups" || count > 0 ? chooseSamples(check) : {};
    return { view: "sequences", params: { ...params, steps: `${step}..${step}` } };
  });
}

function linkSamples(check: HealthCheck): { readonly text: string; readonly move: PageMove } {
  const text = {
    flat_groups: "Groups by their spread in reward",
    truncation: "Truncated responses",
    staleness: "Sequences",
    reward_length: "Sequences by length",
  }[check.id];
  return { text, move: { view: "sequences", params: chooseSamples(check) } };
}

function chooseSamples(check: HealthCheck): Readonly<Record<string, string>> {
  switch (check.id) {
    case "flat_groups":
      return { layout: "groups", "group-sort": "spread" };
    case "truncation": {
      const { basis, reasons, longest } = check;
      if (basis === "longest") return { filter: `response>=${longest}` };
      return { filter: `finish=${reasons.map(quoted).join(",")}` };
    }
    case "staleness":
      return {};
    case "reward_length":
      return { sort: "-response" };
  }
}
