import type { HealthReport } from "../../results/health.ts";
import type { PageMove } from "../../results/page.ts";
import type { Block, Document, Section } from "../document/document.ts";
import { withRows } from "../document/rows.ts";
import { healthPicture } from "./pictures.ts";
import { healthTable } from "./tables.ts";
import { describeCheck, describeLimit, HEALTH_TITLES, type HealthCheck, OUTCOMES } from "./words.ts";

/** Rows of a table that are shown at first. */
const FIRST = 8;

/** Where a check leads on the viewer's page. */
export interface HealthLinks {
  /** A link to the sequences of a check; undefined if it is not about sequences. */
  samples(check: HealthCheck): { readonly text: string; readonly move: PageMove } | undefined;
  /** A link from each row of a check's table. */
  parts(check: HealthCheck): readonly (PageMove | null)[] | undefined;
}

/** Each check with its outcome, its limit and its parts. */
export function buildHealthDocument(run: string, checks: HealthReport, links: HealthLinks): Document {
  return {
    kind: "health",
    heading: "Health of",
    name: run,
    input: [],
    lead: [],
    sections: Object.values(checks).map((check: HealthCheck): Section => checkSection(check, links)),
  };
}

function checkSection(check: HealthCheck, links: HealthLinks): Section {
  const link = links.samples(check);
  const parts = links.parts(check);
  const svg = healthPicture(check);
  const table = withRows(healthTable(check), listParts(check));
  const entry = {
    ...OUTCOMES[check.outcome],
    text: describeCheck(check),
    body: describeLimit(check),
    ...(link && { link }),
  };
  const picture: Block[] =
    svg === undefined
      ? []
      : [{ kind: "picture", id: table.id, chart: "large", svg: () => svg, raw: () => table.raw?.() ?? [] }];
  return {
    id: table.id,
    title: HEALTH_TITLES[check.id],
    blocks: [
      { kind: "entries", entries: [entry] },
      ...picture,
      { kind: "table", table: { ...table, first: FIRST, ...(parts && { links: parts }) } },
    ],
  };
}

function listParts(check: HealthCheck): readonly object[] {
  if (check.id === "staleness") return check.parts;
  return check.id === "reward_length" ? check.tenths : check.per_step;
}
