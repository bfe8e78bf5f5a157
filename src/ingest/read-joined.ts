/**
 * From files with one policy's log-probs each to batches with both.
 *
 * @module
 */
import {
  DEFAULT_BATCH_TOKENS,
  type FindingLog,
  type Origin,
  type RecordBatch,
  type SequenceDraft,
} from "../core/schema/index.ts";
import type { Reading } from "../input/adapters/adapter.ts";
import type { SourceDocument } from "../input/io/index.ts";
import { type JoinSide, joinSides } from "../input/join/join-sides.ts";
import type { PromptSums } from "../input/join/prompt-sums.ts";
import { ShiftScanner } from "./alignment/scan-shifts.ts";
import { closeQuietly, containFileError } from "./contain.ts";
import type { ReadOptions } from "./options.ts";
import { withNumbers } from "./pack-drafts.ts";
import { BLOCK_TOKENS, emptyTally, noteInvalidText, reopen } from "./read-one.ts";
import { checkMasked } from "./read-run.ts";
import { packBatches } from "./read-source.ts";
import type { Sides } from "./sides.ts";
import { compareSources, type Source } from "./sources.ts";

function nameSide(sources: readonly Source[]): string {
  const [first, ...more] = sources;
  return more.length === 0 ? first!.report.file : `${first!.report.file} and ${more.length} more`;
}

/** Drafts of all files of a side; each file is opened once the ones before it are read. */
async function* readSide(
  sources: readonly Source[],
  options: ReadOptions,
  findings: FindingLog,
): AsyncGenerator<readonly SequenceDraft[]> {
  for (const source of [...sources].sort(compareSources)) {
    let document: SourceDocument | undefined;
    try {
      document = await reopen(source, options, () => {});
      const { mapping } = options;
      const { shared } = source;
      const reading = await source.adapter.read(document, {
        findings,
        mapping,
        blockTokens: BLOCK_TOKENS,
        keepDetails: options.keepDetails,
        shared,
      });
      const { file, format } = source.report;
      const trainer = reading.trainer ?? source.adapter.name;
      const provenance = { file, format, trainer, alignment: reading.alignment };
      const origin: Origin = { provenance, sampling: reading.sampling };
      for await (const block of reading.blocks)
        yield block.map((draft) => withNumbers({ origin, ...draft }, source.defaults));
    } catch (error) {
      throw containFileError(error, source.report.file);
    } finally {
      if (document !== undefined) noteInvalidText(document, findings);
      await closeQuietly(document);
    }
  }
}

/**
 * Batches of the sequences that both sides have. Half a run cannot be compared: any file that fails ends the reading.
 */
export async function* readJoined(
  { rollout, trainer }: Sides,
  options: ReadOptions,
  findings: FindingLog,
  prompts: PromptSums,
): AsyncGenerator<RecordBatch> {
  const tally = emptyTally();
  const names = [nameSide(rollout), nameSide(trainer)] as const;
  const side = (sources: readonly Source[], file: string): JoinSide => ({
    file,
    blocks: readSide(sources, options, findings),
  });
  const provenance = {
    file: names.join(" + "),
    format: rollout[0]!.report.format,
    trainer: "pair",
    alignment: "token",
  } as const;
  const joining = { findings, prompts, provenance };
  const blocks = joinSides(side(rollout, names[0]), side(trainer, names[1]), joining);
  const reading: Reading = { alignment: "token", sampling: {}, blocks };
  try {
    for await (const batch of packBatches(reading, {
      findings,
      batchTokens: options.batchTokens ?? DEFAULT_BATCH_TOKENS,
      keepDetails: options.keepDetails,
      steps: options.steps,
      defaults: {},
      origin: { provenance, sampling: {} },
      checks: rollout[0]!.report.checks,
      align: options.align,
      scanner: options.align === "none" ? undefined : new ShiftScanner(),
      allowPositive: options.allowPositive,
      mostKeys: 0,
      onMasked: (tokens) => {
        tally.masked += tokens;
      },
    })) {
      tally.batches++;
      tally.tokens += batch.responseMask.length;
      yield batch;
    }
  } catch (error) {
    throw containFileError(error, provenance.file);
  }
  checkMasked(tally, [...rollout, ...trainer], options, findings);
}
