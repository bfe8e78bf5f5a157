/**
 * What a part says about its run in addition to figures.
 *
 * @module
 */

import { noteFilter } from "../analyses/runs/read-batches.ts";
import { type Finding, FindingLog } from "../core/schema/index.ts";
import { formatCount, plural } from "../core/text/index.ts";
import { describeChecks, type KeptChecks, reportRecorders, reportSharedShift } from "../ingest/index.ts";
import type { FilterTally, PartInfo } from "./part.ts";

/** The name of the run, as a single process would give it. */
export function nameRun(info: PartInfo): string {
  return listRuns(info).join("+");
}

function listRuns({ shards }: PartInfo): string[] {
  return [...new Set(shards.flatMap(({ sources }) => sources.map(({ run }) => run)))].sort();
}

function scannedShards({ shards }: PartInfo): { file: string; checks: KeptChecks }[] {
  return shards.flatMap(({ name, checks }) => (checks ? [{ file: name, checks }] : []));
}

/**
 * The sources of all shards. A shift that only the files together show is added to each source, for `--explain` and
 * reports.
 */
export function listSources(info: PartInfo): PartInfo["shards"][number]["sources"][number][] {
  const scanned = scannedShards(info);
  const shared = reportSharedShift(scanned, new FindingLog());
  const checked = new Map(shared?.map((checks, i) => [scanned[i]!.file, describeChecks([checks])]));
  return info.shards.flatMap(({ name, sources }) => {
    const lines = checked.get(name);
    return lines === undefined ? sources : sources.map((source) => ({ ...source, checked: lines }));
  });
}

/**
 * Findings of reading and merging, in the order of a single process: from choosing files, from reading them, and from
 * all of them together.
 *
 * @throws EmptyInputError when a filter left nothing
 */
export function partFindings(info: PartInfo): Finding[] {
  return collectFindings(info).list();
}

/** Like {@link partFindings}, but more can be added. @throws EmptyInputError when a filter left nothing */
export function collectFindings(info: PartInfo): FindingLog {
  const runs = listRuns(info);
  const findings = new FindingLog();
  for (const call of info.calls) findings.addData(call.findings.filter(({ subject }) => subject !== POOLED));
  if (runs.length > 1) {
    findings.add({
      code: "note",
      severity: "warning",
      subject: POOLED,
      count: runs.length,
      at: {},
      hint: "merge the parts of one run, or compare two of them",
      describe: (count) => `the files belong to ${count} runs (${listFew(runs)}) but are read as one`,
    });
  }
  for (const shard of info.shards) findings.addData(shard.findings);
  const scanned = scannedShards(info);
  reportSharedShift(scanned, findings);
  reportRecorders(
    scanned.map(({ file, checks }) => ({ file, recordings: checks.recordings })),
    findings,
  );
  tellMissing(info, findings);
  findings.addData(info.notes);
  const filtered = info.shards.flatMap((shard) => shard.filtered ?? []);
  if (filtered.length > 0)
    noteFilter({ findings }, { counts: addTallies(filtered), isAboutTokens: info.filtersTokens });
  return findings;
}

const POOLED = "pooled runs";
const FEW = 5;

function listFew(names: readonly string[]): string {
  return names.length <= FEW
    ? names.join(", ")
    : `${names.slice(0, FEW).join(", ")} and ${names.length - FEW} more`;
}

/**
 * Reports shards that a call of `summarize` found but whose parts were not given: it ended early, or parts were lost.
 */
function tellMissing({ calls, shards }: PartInfo, findings: FindingLog): void {
  const there = new Set(shards.map(({ name }) => name));
  const expected = new Set(calls.flatMap((call) => call.expected));
  const missing = [...expected].filter((name) => !there.has(name)).sort();
  const [first] = missing;
  if (first === undefined) return;
  findings.add({
    code: "file-skipped",
    severity: "skipped",
    subject: "shards without a part",
    count: missing.length,
    omits: { unit: "file", why: "unreadable" },
    at: { file: first },
    likely: "logratio summarize was stopped early, or some of its parts were not given",
    hint: "run logratio summarize again: it continues where it stopped",
    describe: (count) =>
      `${plural(count, "shard")} of ${formatCount(expected.size)} ${count === 1 ? "has" : "have"} no part`,
  });
}

function addTallies(tallies: readonly FilterTally[]): FilterTally {
  const sum = (pick: (tally: FilterTally) => number): number =>
    tallies.reduce((total, tally) => total + pick(tally), 0);
  return {
    sequences: sum(({ sequences }) => sequences),
    keptSequences: sum(({ keptSequences }) => keptSequences),
    tokens: sum(({ tokens }) => tokens),
    keptTokens: sum(({ keptTokens }) => keptTokens),
  };
}
