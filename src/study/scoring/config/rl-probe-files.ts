/**
 * RL-Probe's files by their names and places: where its problems are, and what its results are.
 *
 * @module
 */
import { basename, dirname, join, relative, resolve } from "node:path";
import { quoteForShell, shellCommand, UsageError } from "../../../core/base/index.ts";
import { isPresent } from "../../../input/io/index.ts";
import { recognizeResults } from "../texts/rl-probe-results.ts";

/** The verbs that score texts. */
export type StudyVerb = "kl" | "score";

/** Where RL-Probe's first script writes the problems and their responses. */
const FILTERED = join("data", "filtered");
const PROBLEMS = "filtered_problems.json";

/**
 * RL-Probe's own layout: `configs/config.yaml` with `data/filtered/` next to `configs/`, or next to the config, or in
 * the current directory.
 *
 * @throws UsageError if the file is in none of these
 */
export function findFilteredProblems(verb: StudyVerb, config: string | undefined): string {
  const around = config === undefined ? [] : [dirname(dirname(resolve(config))), dirname(resolve(config))];
  const tried = [...new Set([...around, resolve(".")])].map((dir) => join(dir, FILTERED, PROBLEMS));
  const found = tried.find((file) => isPresent(file));
  if (found !== undefined) return relative(".", found) || found;
  throw new UsageError(`--use-dpo-responses needs the problems file, ${PROBLEMS}`, {
    likely: `looked for ${tried.map((file) => relative(".", file)).join(", ")}`,
    hint: `give its path: ${shellCommand(verb, [...(config === undefined ? [] : [config]), join("DIR", PROBLEMS)], ["--use-dpo-responses"])}`,
  });
}

/**
 * Says what files of results are, and which command scores their texts.
 *
 * @throws UsageError
 */
export async function refuseResults(files: readonly string[]): Promise<void> {
  for (const file of files) {
    const kind = await recognizeResults(file);
    if (kind === "kl") throw klResults(file);
    if (kind === "outcomes")
      throw new UsageError(`${file} says which problems are solved, and holds no texts to score`, {
        at: { file },
        hint: `give it beside the texts: --outcomes ${quoteForShell(file)} if it names the policies, else --outcomes NAME=${quoteForShell(file)}`,
      });
  }
}

/** @param file as RL-Probe writes it, two folders below the project */
function klResults(file: string): UsageError {
  // Whose results they are: `outputs/results/NAME_results.json`.
  const name = /^(.+)_results\.json$/.exec(basename(file))?.[1];
  const project = [resolve(dirname(file), "..", ".."), resolve(".")].find((dir) =>
    isPresent(join(dir, "configs", "config.yaml")),
  );
  const place = (...path: string[]): string =>
    join(project === undefined ? "." : relative(".", project), ...path);
  const command = shellCommand(
    "kl",
    [place("configs", "config.yaml"), place(FILTERED, PROBLEMS)],
    ["--use-dpo-responses", ...(name === undefined ? [] : ["--checkpoint", name]), "--parity", "rl-probe"],
  );
  const rollouts = name ?? "NAME";
  return new UsageError(
    `${file} holds KL values that RL-Probe computed${name === undefined ? "" : ` for ${name}`}, not texts and policies to score`,
    {
      at: { file },
      likely:
        "its results: KL and Jensen-Shannon divergence by index, spikes, entropy and token categories of each rollout; they lack the token ids, log-probs and answers that the report needs",
      hint: `score the same texts for these figures and the others: ${command} (for rollouts: --responses ${rollouts}=rollouts/${rollouts}/all_rollouts.json instead of --use-dpo-responses)`,
    },
  );
}
