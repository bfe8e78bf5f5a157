import type { Run, SourceReport } from "../../../input/ingest/index.ts";
import { printable } from "../../../render/index.ts";

/**
 * What each file was read as, with names from files made fit for a terminal. Files that were read alike share one block.
 *
 * @param tokenizer that was found beside the files
 */
export function formatExplanation(run: Run, tokenizer?: string): string {
  const blocks = new Map<string, { files: string[]; source: SourceReport }>();
  for (const source of run.sources) {
    const { format, trainer, found, guessed, missing } = source;
    const key = JSON.stringify([format, trainer, found, guessed, missing]);
    const block = blocks.get(key);
    if (block) block.files.push(source.file);
    else blocks.set(key, { files: [source.file], source });
  }
  const read = [...blocks.values()].map(({ files, source }) => formatBlock(files, source));
  const spelled =
    tokenizer === undefined
      ? []
      : [`tokenizer ${printable(tokenizer)}, found beside the dumps: as if given with --tokenizer\n`];
  return [...read, ...spelled, ...ignoredLines(run)].join("");
}

const MOST_IGNORED = 40;

/** Files that were found and hold no recorded log-probs, by name or by content. */
function ignoredLines({ ignored }: Run): string[] {
  if (ignored.length === 0) return [];
  const more = ignored.length - MOST_IGNORED;
  return [
    "ignored, not recorded data:\n",
    ...ignored.slice(0, MOST_IGNORED).map((file) => `  ${printable(file)}\n`),
    ...(more > 0 ? [`  and ${more} more\n`] : []),
  ];
}

function formatBlock(files: readonly string[], source: SourceReport): string {
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
    "",
  ]
    .map(printable)
    .join("\n");
}

function lines(label: string, items: readonly string[]): string[] {
  return items.map((item, i) => `  ${(i === 0 ? label : "").padEnd(9)} ${item}`);
}
