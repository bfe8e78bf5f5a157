/**
 * Step, rank and run in paths.
 *
 * @module
 */

export interface FileNumbers {
  readonly step?: number | undefined;
  readonly rank?: number | undefined;
}

const STEP =
  /(?:^|[._-])(?:global_?steps?|train_data_step|completions|step|iteration|iter|rollout_id|rollout)[_-]?(\d+)(?=$|[._-])/i;
const RANK = /(?:^|[._-])(?:dp_?rank|tp_?rank|rank)[_-]?(\d+)(?=$|[._-])/i;
const SUFFIXES = /\.(?:jsonl|ndjson|json|npz|npy|pt|pth|safetensors|parquet|pkl|gz|zst|zstd)$/i;

/** The parts of one long file, in folders of this name (prime-rl), have numbers that are no steps. */
const CHUNKS = "stream";

/** A name without the suffixes of format and compression. */
export function stem(name: string): string {
  let rest = name;
  while (SUFFIXES.test(rest)) rest = rest.replace(SUFFIXES, "");
  return rest;
}

function parts(path: string): string[] {
  return path.split(/[\\/]+/).filter((part) => part !== "" && part !== ".");
}

/** `step_0010`, `train_data_step12.jsonl`, `step_3/rank_5.jsonl`, `global_step_100`, `12.pt`, `12_3.pt` (step and rank). */
export function fileNumbers(path: string): FileNumbers {
  const [file = "", ...folders] = parts(path).reverse();
  const names = [stem(file), ...folders];
  const find = (pattern: RegExp): number | undefined => {
    for (const name of names) {
      const found = pattern.exec(name)?.[1];
      if (found !== undefined) return Number(found);
    }
    return undefined;
  };
  const bare = folders[0] === CHUNKS ? null : /^(\d+)(?:_(\d+))?$/.exec(names[0]!);
  const step = bare === null ? find(STEP) : Number(bare[1]);
  const rank = bare?.[2] === undefined ? find(RANK) : Number(bare[2]);
  return { step, rank };
}

/** Folders that hold a run's files but do not name the run. */
const INNER = new Set([
  "npz",
  "npy",
  "pt",
  "pth",
  "json",
  "jsonl",
  "parquet",
  "safetensors",
  "pkl",
  "pickle",
  "packed",
  "torch",
  "token_exports",
  "train_data",
  "rollout_data",
  "policy_loss_debug",
  "dashboard_columns",
  "dumped_data",
  "completions",
  "rollouts",
  "dumps",
  "dump",
  "logratio",
  "logs",
  "data",
  "records",
  "monitors",
  "file",
  "traces",
  CHUNKS,
]);

function namesRun(part: string): boolean {
  return part !== ".." && !INNER.has(part.toLowerCase()) && !STEP.test(part) && !RANK.test(part);
}

/**
 * The run that a file belongs to: the first folder below the given path that is not a step, rank or container; without
 * one, the given path itself, or the nearest folder above it that names something.
 *
 * @param root the path that the user gave, made absolute
 * @param relative the file's path below it; empty when the user gave the file
 */
export function runName(root: string, relative: string): string {
  const inside = parts(relative).slice(0, -1).find(namesRun);
  if (inside !== undefined) return inside;
  const above = parts(root);
  if (relative === "") above.pop();
  return above.findLast(namesRun) ?? "run";
}

/** The folders of a path without steps and ranks; files of one kind share them. */
export function seriesFolder(path: string): string {
  return parts(path)
    .slice(0, -1)
    .filter((part) => !STEP.test(part) && !RANK.test(part))
    .join("/");
}
