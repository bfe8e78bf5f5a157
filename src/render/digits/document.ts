import type { DigitFigures, DigitsReport, DigitTruth } from "../../results/digits.ts";
import { type Block, type Document, type Section, tableSections } from "../document/document.ts";
import type { Table } from "../document/table.ts";
import { type MarkdownOptions, writeMarkdown } from "../markdown/document.ts";
import { drawScreen, type ScreenOptions } from "../terminal/screen.ts";
import { digitCharts } from "./charts.ts";
import { headlines, inputParts, placeName } from "./content.ts";
import { type DigitPlaces, exampleTables, surestWrongTable } from "./example-tables.ts";
import { lossTables } from "./loss-table.ts";
import { calibrationPicture, lossBars } from "./pictures.ts";
import {
  calibrationTable,
  correctnessTable,
  digitsTable,
  gapTable,
  placesTable,
  sidesTable,
  stepsTable,
  sureTable,
  truthPlacesTable,
} from "./tables.ts";

/** A calibration bin with fewer digits says little. */
const LEAST_DIGITS = 10;

/**
 * The findings, then every table with its picture, then what is absent.
 *
 * @param where the viewer's page finds the single digits
 */
export function buildDigitsDocument(report: DigitsReport, places?: DigitPlaces): Document {
  const { per_place, per_digit, per_step, truth } = report;
  return {
    kind: "digits",
    heading: "Digits of",
    name: report.run,
    input: inputParts(report),
    lead: [{ kind: "list", items: headlines(report) }],
    sections: [
      {
        id: "sure",
        title: "How sure",
        blocks: [sureTable(report), ...gapTable(report), ...correctnessTable(report)].map((table) => ({
          kind: "table",
          table,
        })),
      },
      { id: "steps", title: "Over the steps", blocks: overSteps(report, per_step.length) },
      groupSection(
        placesTable(report),
        per_place,
        per_place.map(({ place }) => placeName(place)),
      ),
      groupSection(
        digitsTable(report),
        per_digit,
        per_digit.map(({ digit }) => String(digit)),
      ),
      ...tableSections(lossTables(report.distributions, "sampled")),
      ...(truth ? truthSections(truth, report.policy, places) : []),
      ...tableSections(exampleTables(report, places)),
      { id: "absent", title: "", blocks: [{ kind: "list", items: report.absent, muted: true }] },
    ],
  };
}

function overSteps(report: DigitsReport, steps: number): Block[] {
  if (steps < 2) return [];
  return [
    { kind: "charts", charts: digitCharts(report) },
    { kind: "table", table: stepsTable(report) },
  ];
}

/** The proxy loss of groups of digits as bars; a single group has no table. */
function groupSection(table: Table, groups: readonly DigitFigures[], names: readonly string[]): Section {
  const { id, title, raw } = table;
  const svg = (): string => lossBars(`${title}: proxy NTL, nats`, names, groups);
  const picture: Block = { kind: "picture", id: `digit-${id}`, chart: "large", svg, ...(raw && { raw }) };
  return {
    id,
    title,
    blocks: [
      ...(groups.length === 0 ? [] : [picture]),
      ...(groups.length < 2 ? [] : [{ kind: "table", table } as const]),
    ],
  };
}

/** Answers against ground truth: how often right, and whether being sure meant being right. */
function truthSections(
  truth: DigitTruth,
  policy: DigitsReport["policy"],
  places: DigitPlaces | undefined,
): Section[] {
  const { per_place, calibration: bins, calibration_error: error } = truth;
  const calibration = calibrationTable(truth);
  // A few points with few digits each make no curve.
  const isCurve = bins.filter(({ digits }) => digits >= LEAST_DIGITS).length >= 2;
  const curve: Block = {
    ...{ kind: "picture", id: "calibration-of-answer-digits", chart: "large" },
    svg: () => calibrationPicture(bins, error),
    ...(calibration.raw && { raw: calibration.raw }),
  };
  return [
    ...tableSections(per_place.length === 0 ? [] : [sidesTable(truth), truthPlacesTable(truth)]),
    ...(per_place.length === 0
      ? []
      : [
          {
            id: calibration.id,
            title: calibration.title,
            blocks: [...(isCurve ? [curve] : []), { kind: "table", table: calibration } as const],
          },
        ]),
    ...tableSections([...lossTables(truth.distributions, "truth"), surestWrongTable(truth, policy, places)]),
  ];
}

export function renderDigitsTerminal(report: DigitsReport, options: ScreenOptions): string {
  return drawScreen(buildDigitsDocument(report), options);
}

export function renderDigitsMarkdown(report: DigitsReport, options: MarkdownOptions = {}): string {
  return writeMarkdown(buildDigitsDocument(report), options);
}
