import { describeChecks, type Run, type SourceChecks, type SourceReport } from "../../../ingest/index.ts";
import { printable } from "../../../render/text/index.ts";
import type { SeriesReport } from "../../../results/series.ts";

/** Files that were read alike, and what their data show. */
interface Block {
  readonly files: string[];
  readonly source: SourceReport;
  readonly checks: SourceChecks[];
}

/**
 * How each file was read, with its names made safe for a terminal. Files that were read alike share one block.
 *
 * @param tokenizer found next to the files
 */
export function formatExplanation(run: Pick<Run, "sources" | "ignored">, tokenizer?: string): string {
  const blocks = new Map<string, Block>();
  for (const source of run.sources) {
    const { format, trainer, found, guessed, missing } = source;
    const key = JSON.stringify([format, trainer, found, guessed, missing]);
    const block = blocks.get(key);
    if (block) {
      block.files.push(source.file);
      block.checks.push(source.checks);
    } else blocks.set(key, { files: [source.file], source, checks: [source.checks] });
  }
  const read = [...blocks.values()].map(formatBlock);
  const spelled =
    tokenizer === undefined
      ? []
      : [`tokenizer ${printable(tokenizer)}, found beside the dumps: as if given with --tokenizer\n`];
  return [...read, ...spelled, ...ignoredLines(run)].join("");
}

const MOST_IGNORED = 40;

/** Files that were found but contain no recorded log-probs, by name or by content. */
function ignoredLines({ ignored }: Pick<Run, "ignored">): string[] {
  if (ignored.length === 0) return [];
  const more = ignored.length - MOST_IGNORED;
  return [
    "ignored, not recorded data:\n",
    ...ignored.slice(0, MOST_IGNORED).map((file) => `  ${printable(file)}\n`),
    ...(more > 0 ? [`  and ${more} more\n`] : []),
  ];
}

function formatBlock({ files, source, checks }: Block): string {
  const [first, ...rest] = files;
  const others = rest.length === 0 ? "" : ` and ${rest.length} more up to ${rest.at(-1)}`;
  const place = [
    source.step === undefined ? "step unknown" : `step ${source.step}`,
    ...(source.rank === undefined ? [] : [`rank ${source.rank}`]),
  ];
  return [
    `${first}${others}`,
    `  read as   ${source.trainer} (${source.format})${rest.length === 0 ? `, ${place.join(", ")}` : ""}`,
    ...lines("found", source.found),
    ...lines("guessed", source.guessed),
    ...lines("missing", source.missing),
    ...lines("checked", describeChecks(checks)),
    "",
  ]
    .map(printable)
    .join("\n");
}

function lines(label: string, items: readonly string[]): string[] {
  return items.map((item, i) => `  ${(i === 0 ? label : "").padEnd(9)} ${item}`);
}

/** Which logger wrote each file, and the metrics that are unrelated to the mismatch. */
export function explainSeries(report: SeriesReport | undefined): string {
  if (report === undefined) return "";
  const { files, series, others } = report;
  return [
    ...files.map(
      ({ file, form, metrics }) => `${printable(file)}\n  read as   ${form}, ${metrics} metrics\n`,
    ),
    ...series.map(
      ({ metric, trainer, figure }) =>
        `  found     ${printable(metric)} (${trainer}${figure === null ? "" : `, ${figure}`})\n`,
    ),
    ...(others.length === 0 ? [] : [`  others    ${others.map(printable).join(", ")}\n`]),
  ].join("");
}
