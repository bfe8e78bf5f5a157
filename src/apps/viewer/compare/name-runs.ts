import type { RunComparison, RunInfo } from "../../../results/index.ts";

/**
 * What two runs are called beside each other. Runs are named after folders, and two of them may be called alike: then
 * they are called by what tells their paths apart, `a.jsonl` and `b.jsonl` of one folder, or `seed-1/dumps` and
 * `seed-2/dumps`.
 */
export function nameRuns(
  a: Pick<RunInfo, "name" | "input">,
  b: Pick<RunInfo, "name" | "input">,
): RunComparison["names"] {
  if (a.name !== b.name) return { a: a.name, b: b.name };
  const [first, second] = [splitPath(a), splitPath(b)];
  const longest = Math.max(first.length, second.length);
  for (let parts = 1; parts <= longest; parts++) {
    const names = { a: first.slice(-parts).join("/"), b: second.slice(-parts).join("/") };
    if (names.a !== names.b) return { a: names.a + countMore(a), b: names.b + countMore(b) };
  }
  return { a: `${a.name} (A)`, b: `${b.name} (B)` };
}

/** Of the first path that was given. */
function splitPath({ input: { paths } }: Pick<RunInfo, "input">): string[] {
  return (paths[0] ?? "").split(/[\\/]+/).filter((part) => part !== "" && part !== ".");
}

function countMore({ input: { paths } }: Pick<RunInfo, "input">): string {
  return paths.length > 1 ? ` and ${paths.length - 1} more` : "";
}
