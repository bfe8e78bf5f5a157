import type { RunInfo } from "../../../results/view.ts";

/** A run to be named among others. */
export interface RunToName extends Pick<RunInfo, "name" | "input"> {
  /** A label given by the user. */
  readonly label?: string;
}

/**
 * Names for runs that are compared. Runs are named after folders, and several may have the same name: then they are
 * named by what distinguishes their paths, `a.jsonl` and `b.jsonl` of one folder, or `seed-1/dumps` and `seed-2/dumps`.
 * A label is kept as it is.
 *
 * @returns as many names as runs, each once unless a label is given twice
 */
export function nameRuns(runs: readonly RunToName[]): string[] {
  const wanted = runs.map(({ label, name }) => label ?? name);
  const labels = new Set(runs.map(({ label }) => label));
  return runs.map((run, at) => {
    const name = wanted[at]!;
    const alike = runs.filter((_, other) => wanted[other] === name);
    if (alike.length === 1 || run.label !== undefined) return name;
    const path = tellApart(run, alike);
    return path === undefined || labels.has(path) ? `${name} (${letterRun(at)})` : path;
  });
}

function tellApart(run: RunToName, alike: readonly RunToName[]): string | undefined {
  const longest = Math.max(...alike.map((one) => splitPath(one).length));
  for (let parts = 1; parts <= longest; parts++) {
    const takeEnd = (one: RunToName): string => splitPath(one).slice(-parts).join("/");
    if (new Set(alike.map(takeEnd)).size === alike.length) return takeEnd(run) + countMore(run);
  }
  return undefined;
}

/** `A`, `B`, … `Z`, then `27`. */
function letterRun(at: number): string {
  return at < 26 ? String.fromCharCode(65 + at) : String(at + 1);
}

/** Of the first path that was given. */
function splitPath({ input: { paths } }: RunToName): string[] {
  return (paths[0] ?? "").split(/[\\/]+/).filter((part) => part !== "" && part !== ".");
}

function countMore({ input: { paths } }: RunToName): string {
  return paths.length > 1 ? ` and ${paths.length - 1} more` : "";
}
