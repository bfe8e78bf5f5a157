/**
 * Files that are complete only together: the adapter says which of a run's files complete which (`Adapter.join`).
 *
 * @module
 */
import { basename, dirname, join } from "node:path";
import type { FindingLog } from "../core/schema/index.ts";
import type { Joined } from "../input/adapters/adapter.ts";
import type { Source } from "./sources.ts";

/** `rollout_data/12.pt`: the folder often names the rank or the kind. */
function shorten(path: string): string {
  const folder = basename(dirname(path));
  return folder === "" || folder === "." ? basename(path) : join(folder, basename(path));
}

function reportJoined(findings: FindingLog, source: Source, companion: Source): void {
  findings.add({
    code: "note",
    severity: "info",
    subject: "companion files",
    count: 1,
    at: { file: companion.report.file },
    describe: (count) =>
      `${count} ${count === 1 ? "file completes" : "files complete"} others of the run and ${count === 1 ? "is" : "are"} read with them: the first, ${shorten(companion.report.file)}, with ${shorten(source.report.file)}`,
  });
}

function reportRepeated(findings: FindingLog, source: Source, repeats: string): void {
  findings.add({
    code: "duplicate",
    severity: "info",
    subject: repeats,
    count: 1,
    omits: { unit: "file", why: "repeated" },
    at: { file: source.report.file },
    describe: (count) => `${count} ${count === 1 ? "file repeats" : "files repeat"} ${repeats}: counted once`,
  });
}

/** The source, to be read as {@link Joined} describes. */
function complete(source: Source, members: readonly Source[], joined: Joined): Source {
  const { report } = source;
  return {
    ...source,
    problem: joined.problem,
    // Another file may hold the other policy.
    onePolicy: joined.problem === source.problem ? source.onePolicy : undefined,
    shared: joined.shared,
    companions: (joined.companions ?? []).map((place) => members[place]!),
    report: {
      ...report,
      found: [...report.found, ...(joined.found ?? [])],
      guessed: [...report.guessed, ...(joined.guessed ?? [])],
      missing: joined.missing ?? report.missing,
    },
  };
}

/** Joins sources: leaves out each source that is part of another, and gives each the files that complete it. */
export function joinParts(sources: readonly Source[], findings: FindingLog): Source[] {
  const groups = new Map<string, Source[]>();
  for (const source of sources) {
    if (source.part === undefined || source.adapter.join === undefined) continue;
    const { name } = source.adapter;
    groups.set(name, [...(groups.get(name) ?? []), source]);
  }
  const joinedBy = new Map<Source, Source | undefined>();
  const told = new Set<Source>();
  for (const members of groups.values()) {
    const parts = members.map(({ report, part, problem }) => ({
      file: report.file,
      run: report.run,
      facts: part,
      problem,
    }));
    members[0]!.adapter.join!(parts).forEach((joined, place) => {
      const source = members[place]!;
      if (joined.as === "read") {
        const whole = complete(source, members, joined);
        joinedBy.set(source, whole);
        for (const companion of whole.companions) {
          if (!told.has(companion)) reportJoined(findings, source, companion);
          told.add(companion);
        }
      } else joinedBy.set(source, undefined);
      if (joined.as === "repeated") reportRepeated(findings, source, joined.repeats ?? "another");
    });
  }
  return sources.flatMap((source) => (joinedBy.has(source) ? (joinedBy.get(source) ?? []) : [source]));
}
