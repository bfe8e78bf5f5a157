/**
 * Decides whether files are the two sides of one run, each with one policy's log-probs, and which file is which side.
 *
 * @module
 */
import { SchemaError, UsageError } from "../core/base/index.ts";
import type { ReadOptions } from "./options.ts";
import type { Failure, Source } from "./sources.ts";

export interface Sides {
  readonly rollout: readonly Source[];
  readonly trainer: readonly Source[];
}

type Side = keyof Sides;

function takeSide(sources: readonly Source[], side: Side, why: string): Source[] {
  return sources.map((source) => ({
    ...source,
    report: {
      ...source.report,
      trainer: "pair",
      guessed: [...source.report.guessed, `the ${side} side, because ${why}`],
    },
  }));
}

/** Assigns sides by the policy of each file's log-probs; undefined when all have the same policy's. */
function sortByPolicy(halves: readonly Source[]): Sides | undefined {
  const [rollout, trainer] = (["rollout", "trainer"] as const).map((side) =>
    takeSide(
      halves.filter(({ onePolicy }) => onePolicy?.has === side),
      side,
      `it has the ${side}'s log-probs`,
    ),
  );
  return rollout!.length > 0 && trainer!.length > 0 ? { rollout: rollout!, trainer: trainer! } : undefined;
}

function sortByOrder([first, second]: readonly Source[]): Sides {
  return {
    rollout: takeSide([first!], "rollout", "it was given first"),
    trainer: takeSide([second!], "trainer", "it was given second"),
  };
}

/**
 * The sides of a run whose files have one policy's log-probs each; undefined for other runs. Files of different
 * policies belong together wherever they are. Two files of the same policy are sides only if they were named and one
 * is a server's: two generation batches are more likely two steps.
 */
export function findSides(
  sources: readonly Source[],
  failures: readonly Failure[],
  { pair }: ReadOptions,
): Sides | undefined {
  if (pair === false) return undefined;
  const halves = sources.filter(({ onePolicy, problem }) => onePolicy !== undefined && problem !== undefined);
  if (sources.some(({ problem }) => problem === undefined)) return undefined;
  const byPolicy = sortByPolicy(halves);
  if (byPolicy !== undefined && failures.length === 0) return byPolicy;
  const areNamed = sources.length === 2 && sources.every(({ file }) => file.relative === "");
  const hasServer = halves.some(({ adapter }) => adapter.name === "servers");
  return failures.length === 0 && areNamed && halves.length === 2 && hasServer
    ? sortByOrder(halves)
    : undefined;
}

/**
 * The two sides that `--pair` asks for.
 *
 * @throws UsageError when there are not two files
 * @throws SchemaError when one of them does not have exactly one policy's log-probs
 */
export function requireSides(
  paths: readonly string[],
  sources: readonly Source[],
  failures: readonly Failure[],
): Sides {
  if (failures[0] !== undefined) throw failures[0].error;
  if (sources.length !== 2) {
    throw new UsageError(`a pair needs two files, ${sources.length} were found`, {
      hint: `give the rollout side first and the trainer side second (got: ${paths.join(", ")})`,
    });
  }
  const whole = sources.find(({ onePolicy }) => onePolicy === undefined);
  if (whole !== undefined) {
    throw new SchemaError(
      "this file has no token ids with one list of log-probs, so it cannot be half of a pair",
      {
        at: { file: whole.report.file },
      },
    );
  }
  return sortByPolicy(sources) ?? sortByOrder(sources);
}
