import type { SeriesInput } from "./series-input.ts";

/**
 * Gives each file a run name if it shares a metric with another file: the name in the file, else its folder, or the
 * file itself if folders do not distinguish the runs.
 */
export function labelRuns(files: readonly SeriesInput[]): readonly SeriesInput[] {
  const owners = new Map<string, Set<string>>();
  const key = (run: string, metric: string): string => JSON.stringify([run, metric]);
  for (const { file, series } of files)
    for (const { run, metric } of series) {
      const named = owners.get(key(run, metric)) ?? new Set<string>();
      owners.set(key(run, metric), named.add(file));
    }
  const isShared = (run: string, metric: string): boolean => (owners.get(key(run, metric))?.size ?? 0) > 1;
  const labels = labelFiles(files.map(({ file }) => file));
  return files.map((each, at) => ({
    ...each,
    series: each.series.map((logged) => {
      const { run, metric } = logged;
      if (!isShared(run, metric)) return logged;
      return { ...logged, run: [run, labels[at]].filter((part) => part !== "").join(", ") };
    }),
  }));
}

/** What distinguishes paths: their folders if that is enough, without common ones. */
function labelFiles(paths: readonly string[]): string[] {
  const folders = paths.map((path) => path.split("/").slice(0, -1));
  const isEnough = new Set(folders.map((parts) => parts.join("/"))).size === paths.length;
  const parts = isEnough ? folders : paths.map((path) => path.split("/"));
  const [first = [], ...rest] = parts;
  const differs = first.findIndex((part, at) => rest.some((other) => other[at] !== part));
  return parts.map((all) => all.slice(Math.max(0, differs)).join("/"));
}
