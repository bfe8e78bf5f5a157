import { formatCount, plural } from "../../core/text/index.ts";
import type { Run } from "../../ingest/index.ts";
import type { JsonlLog } from "../../ingest/writing/index.ts";
import type { IterationResult, RunLogOptions } from "../divergence/run-log.ts";

/** Where notes are added. */
type Noted = Pick<Run, "findings">;

/** Notes about one step. */
export function noteStep(run: Noted, { again, step, records }: IterationResult): void {
  if (again) {
    run.findings.add({
      code: "note",
      severity: "warning",
      subject: "step again",
      count: 1,
      at: {},
      likely: "one file mixes sequences of several steps",
      hint: "sort the sequences by step",
      describe: (count) =>
        `${formatCount(count)} times, first at step ${step}, the sequences of a step are not contiguous: each part was ranked separately`,
    });
  }
  const nameless = records.filter(({ token_id }) => token_id === null);
  if (nameless.length > 0) {
    run.findings.add({
      code: "note",
      severity: "info",
      subject: "no token ids",
      count: nameless.length,
      at: { ...(nameless[0]!.file !== null && { file: nameless[0]!.file }) },
      hint: "name the column of the response's token ids with --tokens",
      describe: (count) => `${formatCount(count)} logged tokens have no token id, so their text is unknown`,
    });
  }
}

/** Notes after everything was read. */
export function noteRun(run: Noted, leftOut: number, { every }: RunLogOptions, file?: JsonlLog): void {
  if (leftOut > 0) {
    run.findings.add({
      code: "note",
      severity: "info",
      subject: "every",
      count: leftOut,
      at: {},
      describe: (count) =>
        `${plural(count, "sequence")} ${count === 1 ? "is of a step" : "are of steps"} that ${every} does not divide, and ${count === 1 ? "was" : "were"} left out`,
    });
  }
  for (const { file: path } of (file?.files ?? []).filter(({ completedTornLine }) => completedTornLine)) {
    run.findings.add({
      code: "partial-line",
      severity: "warning",
      subject: path,
      count: 1,
      at: { file: path },
      likely: "the previous writer was stopped in the middle of a line",
      describe: () => "the last line of the log was incomplete; a line break was added before appending",
    });
  }
}

/** Notes records that exist already, after a run that was killed, or is repeated. */
export function noteRepeated(run: Noted, file: JsonlLog | undefined): void {
  const repeated = (file?.files ?? []).reduce((sum, entry) => sum + entry.repeated, 0);
  if (repeated === 0) return;
  run.findings.add({
    code: "duplicate",
    severity: "info",
    subject: "log",
    count: repeated,
    at: { file: file!.files[0]!.file },
    hint: "to log them again with other flags, use another --out",
    describe: (count) =>
      `${plural(count, "record was", "records were")} already in the log and ${count === 1 ? "was" : "were"} not written again`,
  });
}

export function noteNoTokenizer(run: Noted, logged: number): void {
  run.findings.add({
    code: "note",
    severity: "info",
    subject: "no tokenizer",
    count: logged,
    at: {},
    hint: "--tokenizer DIR, the model's directory with tokenizer.json in it",
    describe: (count) =>
      `without a tokenizer, the ${formatCount(count)} logged tokens are named <no_tokenizer:ID> and have no context`,
  });
}
