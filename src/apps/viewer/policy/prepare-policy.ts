/**
 * The viewer for a run with only one policy's log-probs: its pages are written here and need no script. The built page
 * compares two policies throughout and would have little to show.
 *
 * @module
 */
import { readBatches } from "../../../analyses/runs/read-batches.ts";
import { reportOnePolicy } from "../../../analyses/runs/report-one-policy.ts";
import {
  buildShow,
  defaultMetric,
  makeSpeller,
  parseHandle,
  SequenceFinder,
  type ShowResult,
} from "../../../analyses/show/index.ts";
import { UsageError } from "../../../core/base/index.ts";
import { formatHandle, type RecordBatch } from "../../../core/schema/index.ts";
import { openRun, type ReadOptions, type Run } from "../../../ingest/index.ts";
import { openTokenizer, TokenTexts } from "../../../input/tokens/index.ts";
import type { PolicyReport } from "../../../results/policy.ts";

/** One line of the list of sequences. */
export interface SequenceRow {
  readonly handle: string;
  readonly tokens: number;
  /** NaN if no token has a log-prob; reward and correctness are NaN if not known. */
  readonly logprobMean: number;
  readonly reward: number;
  readonly correct: number;
  readonly environment: string | undefined;
}

/** A run of one policy, ready to be shown. */
export interface PolicyView {
  readonly report: PolicyReport;
  readonly sequences: readonly SequenceRow[];
  /** Reads the sequence from its file again. @throws UsageError if no sequence has that handle */
  readSequence(handle: string): Promise<ShowResult>;
}

export interface PolicyViewOptions {
  readonly read: ReadOptions;
  /** The flags that choose what is read, for commands on the pages. */
  readonly flags: readonly string[];
  /** Directory of the model's `tokenizer.json`; without it tokens are ids. */
  readonly tokenizer?: string | undefined;
  /** Keeps texts and tokens out of the pages. */
  readonly redact?: "text" | undefined;
  readonly isStopped?: () => boolean;
}

/** Reads a run once. @throws UsageError if it has both policies: such a run has the built page */
export async function preparePolicy(
  paths: readonly string[],
  { read, flags, tokenizer, redact, isStopped }: PolicyViewOptions,
): Promise<PolicyView & { readonly run: Run }> {
  const open = (options: ReadOptions = {}): Promise<Run> =>
    openRun(paths, { ...read, ...options, onePolicy: true });
  const spelled =
    tokenizer === undefined || redact !== undefined ? undefined : await openTokenizer(tokenizer);
  const speller = makeSpeller(new TokenTexts(spelled));
  const run = await open();
  const { onePolicy } = run;
  if (onePolicy === undefined) throw new UsageError("the run has the log-probs of both policies");
  const sequences: SequenceRow[] = [];
  async function* listed(): AsyncGenerator<RecordBatch> {
    for await (const batch of readBatches(run, isStopped === undefined ? {} : { isStopped })) {
      for (let row = 0; row < batch.length; row++) sequences.push(describeRow(batch, row, onePolicy!.has));
      yield batch;
    }
  }
  const report = await reportOnePolicy(run, listed(), onePolicy, { paths, flags });
  return {
    run,
    report,
    sequences,
    async readSequence(handle) {
      const wanted = parseHandle(handle);
      const { step } = wanted;
      const again = await open(
        step === undefined ? {} : { steps: (own) => own === step && (read.steps?.(own) ?? true) },
      );
      const finder = new SequenceFinder(wanted);
      for await (const batch of again.batches()) finder.add(batch);
      const found = finder.result(new Set());
      const shown = redact === undefined ? found : { ...found, batch: withoutTexts(found.batch) };
      return buildShow({
        found: shown,
        token: wanted.token,
        metric: defaultMetric(found.batch),
        speller,
      });
    },
  };
}

/** Omits prompt and response texts, and the ids that spell them. */
function withoutTexts(batch: RecordBatch): RecordBatch {
  const { promptTokenIds: _ids, promptOffsets: _offsets, responseTokenIds: _own, ...rest } = batch;
  const none = (texts: readonly unknown[]): undefined[] => texts.map(() => undefined);
  return {
    ...rest,
    promptTexts: none(batch.promptTexts),
    responseTexts: none(batch.responseTexts),
    topK: {},
  };
}

function describeRow(batch: RecordBatch, row: number, has: "rollout" | "trainer"): SequenceRow {
  const logprobs = batch[`${has}Logprobs`]!;
  let [sum, tokens] = [0, 0];
  for (let at = batch.offsets[row]!; at < batch.offsets[row + 1]!; at++) {
    if (batch.responseMask[at] === 0 || !Number.isFinite(logprobs[at]!)) continue;
    sum += logprobs[at]!;
    tokens++;
  }
  return {
    handle: formatHandle({ step: batch.steps[row]!, rank: batch.ranks[row]!, sequence: batch.rows[row]! }),
    tokens,
    logprobMean: tokens === 0 ? Number.NaN : sum / tokens,
    reward: batch.rewards[row]!,
    correct: batch.correctness[row]!,
    environment: batch.environments[row],
  };
}
