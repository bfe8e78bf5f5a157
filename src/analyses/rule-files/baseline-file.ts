import { Document, isMap, isScalar, parseDocument, type YAMLMap } from "yaml";
import { SchemaError, VersionError } from "../../core/base/index.ts";
import { formatNumber } from "../../core/text/index.ts";
import type { MetricScale } from "../../results/metrics/run-metrics.ts";
import { parseCondition } from "../conditions/condition.ts";
import { parseFigureName } from "../conditions/figure-name.ts";
import {
  BASELINE_VERSION,
  type Baseline,
  type BaselineCheck,
  type BaselineRun,
  listHistory,
} from "../gate/baseline.ts";
import { predictRun } from "../gate/corridor.ts";
import { type Entry, type EntryMap, openEntries } from "./entries.ts";

const KIND = "logratio-baseline";
const SCALES: readonly MetricScale[] = ["linear", "log", "below_one", "root"];

const HEADER = ` A baseline of logratio gate. Runs and corridors are rewritten by \`logratio gate RUN --update --against FILE\`;
 limits are yours to write. A corridor is where one more run like these lies; low and high follow from values and errors.`;

/**
 * Parses a baseline file.
 *
 * @throws SchemaError, FormatError, EmptyInputError, VersionError with the line of the error
 */
export function parseBaseline(text: string, file: string): Baseline {
  const map = openEntries(text, file);
  if (map.take("kind")?.text() !== KIND)
    throw new SchemaError(`not a baseline of logratio gate: kind is not ${KIND}`, {
      at: { file, line: 1 },
      hint: "logratio gate RUNS… --update --against FILE writes one",
    });
  const version = map.need("version");
  if (version.number() !== BASELINE_VERSION)
    throw new VersionError(
      `version ${version.number()} of a baseline, this logratio reads ${BASELINE_VERSION}`,
      {
        at: { file, line: version.line },
        hint: "update logratio, or learn the baseline again with --update",
      },
    );
  const alphaEntry = map.need("alpha");
  const alpha = alphaEntry.number();
  if (!(alpha > 0 && alpha < 1)) alphaEntry.refuse("must lie between 0 and 1");
  const limits = (map.take("limits")?.list() ?? []).map((entry) => ({
    condition: entry.within(() => parseCondition(entry.text())),
    line: entry.line,
  }));
  const runs = (map.take("runs")?.list() ?? []).map(readRun);
  const entries = map.take("checks")?.map().takeRest() ?? [];
  map.end();
  const checks = entries.map(([name, entry]) => readCheck(name, entry, runs.length));
  checkEnds(checks, entries, alpha / checks.length);
  return { alpha, runs, checks: checks.map(({ low: _low, high: _high, ...check }) => check), limits };
}

function readRun(entry: Entry): BaselineRun {
  const map = entry.map();
  const files = map.need("files");
  const run = {
    name: map.need("name").text(),
    date: map.take("date")?.textOrNull() ?? null,
    files: files.number(),
    prompts: map.need("prompts").numberOrNull(),
    sha256: map.need("sha256").textOrNull(),
  };
  if (!Number.isInteger(run.files) || run.files < 1) files.refuse("must be a positive integer");
  map.end();
  return run;
}

type WrittenCheck = BaselineCheck & { readonly low: number | null; readonly high: number | null };

function readCheck(name: string, entry: Entry, runs: number): WrittenCheck {
  const map = entry.map();
  const scaleEntry = map.need("scale");
  const scale = SCALES.find((one) => one === scaleEntry.text());
  if (scale === undefined) return scaleEntry.refuse(`must be one of ${SCALES.join(", ")}`);
  const [low, high] = ["low", "high"].map((end) => map.need(end).numberOrNull()) as [
    number | null,
    number | null,
  ];
  const values = readNumbers(map, "values", runs);
  const errors = readNumbers(map, "errors", runs);
  map.end();
  const figure = entry.within(() => parseFigureName(name));
  return { figure, scale, values, errors, low, high, line: entry.line };
}

function readNumbers(map: EntryMap, key: string, runs: number): (number | null)[] {
  const entry = map.need(key);
  const values = entry.list().map((one) => one.numberOrNull());
  if (values.length !== runs)
    entry.refuse(
      `has ${values.length} entries, but there are ${runs} runs`,
      "learn the baseline again with --update",
    );
  return values;
}

/** Ends that were edited, or damaged by a merge, would appear in a review although they are not what is judged. */
function checkEnds(
  checks: readonly WrittenCheck[],
  entries: readonly (readonly [string, Entry])[],
  alpha: number,
): void {
  checks.forEach((check, at) => {
    const ends = writtenEnds(check, alpha);
    if (isNear(check.low, ends.low) && isNear(check.high, ends.high)) return;
    const [, entry] = entries[at]!;
    entry.refuse(
      `has the corridor ${formatNumber(check.low)} to ${formatNumber(check.high)}, but its values give ${formatNumber(ends.low)} to ${formatNumber(ends.high)}`,
      "after an edit or a merge run --update again; to allow more, write a limit instead",
    );
  });
}

function isNear(a: number | null, b: number | null): boolean {
  return (
    a === b || (a !== null && b !== null && Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b)))
  );
}

/** The ends as written in a file; null if there are too few runs, or if an end overflows. */
function writtenEnds(check: BaselineCheck, alpha: number): { low: number | null; high: number | null } {
  const corridor = predictRun(listHistory(check), alpha);
  const write = (end: number | undefined): number | null =>
    end === undefined || !Number.isFinite(end) ? null : round(end, END_DIGITS[check.scale]);
  return { low: write(corridor?.low), high: write(corridor?.high) };
}

/** As many digits as a review needs; for values near 1, the digits after the nines count. */
const END_DIGITS: Readonly<Record<MetricScale, number>> = { linear: 4, log: 4, root: 4, below_one: 8 };
/** Corridors are computed from the rounded values as written, so that reading gives the same ones. */
const VALUE_DIGITS: Readonly<Record<MetricScale, number>> = { linear: 7, log: 7, root: 7, below_one: 11 };

function round(value: number, digits: number): number {
  return Number(value.toPrecision(digits));
}

function roundCheck({ values, errors, ...check }: BaselineCheck): BaselineCheck {
  return {
    ...check,
    values: values.map((value) => (value === null ? null : round(value, VALUE_DIGITS[check.scale]))),
    errors: errors.map((error) => (error === null ? null : round(error, 3))),
  };
}

/**
 * The text of a baseline file: one line per list, so that another run changes few lines. Limits in the previous text
 * keep their order and comments.
 * keep their order and comments.
 */
export function writeBaseline({ alpha, runs, checks, limits }: Baseline, before?: string): string {
  const each = alpha / checks.length;
  const document = new Document({ kind: KIND, version: BASELINE_VERSION, alpha });
  document.commentBefore = HEADER;
  const root = document.contents as unknown as YAMLMap;
  const kept = before === undefined ? undefined : findPair(parseDocument(before).contents, "limits");
  if (kept !== undefined) root.items.push(kept);
  else if (limits.length > 0)
    root.add(
      document.createPair(
        "limits",
        limits.map(({ condition }) => condition.text),
      ),
    );
  root.add(document.createPair("runs", runs));
  const map = document.createNode({}) as YAMLMap;
  for (const check of checks.map(roundCheck)) map.set(check.figure.text, writeCheck(document, check, each));
  root.add(document.createPair("checks", map));
  for (const { key } of root.items)
    if (isScalar(key) && ["limits", "runs", "checks"].includes(String(key.value))) key.spaceBefore = true;
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

function findPair(contents: unknown, key: string): YAMLMap["items"][number] | undefined {
  if (!isMap(contents)) return undefined;
  return contents.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
}

function writeCheck(document: Document, check: BaselineCheck, alpha: number): YAMLMap {
  const { scale, values, errors } = check;
  const node = document.createNode({ ...writtenEnds(check, alpha), scale, values, errors }) as YAMLMap;
  for (const key of ["values", "errors"]) (node.get(key, true) as { flow?: boolean }).flow = true;
  return node;
}
