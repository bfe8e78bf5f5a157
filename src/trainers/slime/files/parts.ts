/**
 * How the files of a slime or miles run combine. miles writes a training dump per rank (`train_data/{id}_{rank}.pt`):
 * data-parallel ranks hold different samples, tensor- and pipeline-parallel ranks the same ones (log-probs only where
 * the last pipeline stage is), context-parallel ranks a slice of each response. The rollout dump of the step
 * (`rollout_data/{id}.pt`) has what training dumps lack. Files are combined as in `miles/dashboard/dump_reader.py`
 * (commit 31f1ca96).
 *
 * @module
 */
import { basename } from "node:path";
import { MissingSideError } from "../../../core/base/index.ts";
import type { Joined, PartFile } from "../../../input/adapters/adapter.ts";
import { readScalar } from "../../../input/adapters/shared/tree-values.ts";
import type { Dump } from "./dump.ts";

/** What reading a training dump needs. */
export interface SharedFacts {
  /** Sample indices of all training dumps of the step, sorted. */
  readonly batch: readonly number[];
}

/** What other files of a run must know about a dump. */
export interface DumpPart {
  readonly kind: "train" | "rollout" | "evaluation" | "policy-loss" | "mirror";
  readonly step: number | undefined;
  readonly rank: number;
  /** This file's slice of each response; 0 of 1 when responses are not sliced. */
  readonly cpRank: number;
  readonly cpSize: number;
  /** `Sample.index` of each sample, in file order; NaN when absent. */
  readonly indices: readonly number[];
  /** Whether it has both policies' log-probs. */
  readonly bothSides: boolean;
  /** Equal when several ranks dumped the same call. */
  readonly digest?: string;
}

/** The cast is safe: this adapter's `detect` made all parts of its files. */
const readFacts = ({ facts }: PartFile): DumpPart => facts as DumpPart;

export async function readIndices(dump: Dump): Promise<number[]> {
  const names = dump.kind === "rollout" ? ["index"] : ["sample_index", "sample_indices"];
  return Promise.all(
    Array.from({ length: dump.samples }, async (_, i) => {
      for (const name of names) {
        const value = await readScalar(dump.get(i, name));
        if (value !== undefined) return value;
      }
      return Number.NaN;
    }),
  );
}

function sameSamples(a: DumpPart, b: DumpPart): boolean {
  return (
    a.indices.length === b.indices.length &&
    a.indices.every((index, i) => index === b.indices[i] && !Number.isNaN(index))
  );
}

const READ_ALONE = (problem: PartFile["problem"]): Joined => ({ as: "read", problem });

/** Indices of the training dumps of one step that hold the same samples, those of one data-parallel rank. */
type Replica = number[];

function groupReplicas(places: readonly number[], facts: readonly DumpPart[]): Replica[] {
  const groups: Replica[] = [];
  for (const place of places) {
    const known = groups.find(([first]) => sameSamples(facts[first!]!, facts[place]!));
    if (known === undefined) groups.push([place]);
    else known.push(place);
  }
  return groups;
}

/** Context-parallel slices of the same samples: the files to read, one per cp rank present. */
function pickSlices(group: Replica, facts: readonly DumpPart[]): Map<number, number> {
  const byRank = new Map<number, number>();
  const better = (a: number, b: number): boolean => facts[a]!.bothSides && !facts[b]!.bothSides;
  for (const place of group) {
    const { cpRank } = facts[place]!;
    const known = byRank.get(cpRank);
    if (known === undefined || better(place, known)) byRank.set(cpRank, place);
  }
  return byRank;
}

function missingSlices(part: PartFile, absent: readonly number[]): MissingSideError {
  const { cpRank, cpSize, step } = readFacts(part);
  const which = absent.length === 1 ? `rank ${absent[0]} is` : `ranks ${absent.join(", ")} are`;
  return new MissingSideError(
    `this miles dump holds context-parallel slice ${cpRank} of ${cpSize} of each response; the file of context-parallel ${which} missing`,
    {
      at: { file: part.file },
      likely: "only one rank's file was given or copied; each rank writes its own slice",
      hint: `give the folder with the files of all ranks${step === undefined ? "" : ` of step ${step} (${step}_RANK.pt)`}`,
    },
  );
}

/** Why a rank's file still cannot be read together with the other slices. */
function findJoinedProblem(part: PartFile, absent: readonly number[]): PartFile["problem"] {
  const { cpSize, bothSides } = readFacts(part);
  if (absent.length > 0) return missingSlices(part, absent);
  return cpSize > 1 && bothSides ? undefined : part.problem;
}

/** Joins the training dumps of one step with each other and with the step's rollout dump. */
function joinStep(places: readonly number[], parts: readonly PartFile[], joined: Joined[]): void {
  const facts = parts.map(readFacts);
  const rollout = places.find((place) => facts[place]!.kind === "rollout");
  const train = places.filter((place) => facts[place]!.kind === "train");
  const isReadable = train.some((place) => facts[place]!.bothSides);
  const others = rollout === undefined ? [] : [rollout];
  const batch = [...new Set(train.flatMap((place) => facts[place]!.indices))].sort((a, b) => a - b);
  for (const group of groupReplicas(train, facts)) {
    const slices = pickSlices(group, facts);
    const { cpSize } = facts[group[0]!]!;
    const absent = Array.from({ length: cpSize }, (_, rank) => rank).filter((rank) => !slices.has(rank));
    const main = slices.get(Math.min(...slices.keys()))!;
    const chosen = [...slices.values()];
    for (const place of group) {
      if (chosen.includes(place)) continue;
      joined[place] = {
        as: "repeated",
        problem: undefined,
        repeats: "the samples of another rank (tensor or pipeline parallel)",
      };
    }
    const siblings = chosen.filter((place) => place !== main);
    // Slices are read with the first one; each slice needs all of them.
    for (const place of siblings) joined[place] = { as: "companion", problem: undefined };
    joined[main] = {
      as: "read",
      companions: [...siblings, ...others],
      problem: findJoinedProblem(parts[main]!, absent),
      found: [
        ...(cpSize > 1 && absent.length === 0
          ? [`responses assembled from ${cpSize} context-parallel slices (zigzag)`]
          : []),
        ...(rollout === undefined
          ? []
          : [
              `group, prompt and versions: joined from ${basename(parts[rollout]!.file)} of the rollout dump by sample index`,
            ]),
      ],
      shared: { batch },
    };
  }
  if (rollout !== undefined && isReadable) joined[rollout] = { as: "companion", problem: undefined };
}

/** If there are training dumps, an evaluation lacks nothing: it never has another side. */
function describeEvaluations(parts: readonly PartFile[], joined: Joined[]): void {
  if (!parts.some((part) => readFacts(part).kind === "train")) return;
  for (const [place, part] of parts.entries()) {
    const { problem } = part;
    if (readFacts(part).kind !== "evaluation" || problem === undefined) continue;
    const { message, at, likely } = problem;
    joined[place] = READ_ALONE(new MissingSideError(message, { at, ...(likely && { likely }) }));
  }
}

/** `dashboard_columns` only repeats what the rollout or training dumps of the run hold. */
function joinMirrors(places: readonly number[], parts: readonly PartFile[], joined: Joined[]): void {
  if (!parts.some((part) => ["train", "rollout"].includes(readFacts(part).kind))) return;
  for (const place of places)
    joined[place] = {
      as: "repeated",
      problem: undefined,
      repeats: "sequences of the rollout dumps (dashboard_columns)",
    };
}

/** Reads one `policy_loss_debug` of the ranks that dumped the same numbers, and none if there are training dumps. */
function joinCalls(places: readonly number[], parts: readonly PartFile[], joined: Joined[]): void {
  const facts = parts.map(readFacts);
  const hasTraining = facts.some(({ kind, bothSides }) => kind === "train" && bothSides);
  const seen = new Set<string>();
  for (const place of places) {
    const { digest } = facts[place]!;
    if (hasTraining || (digest !== undefined && seen.has(digest))) {
      joined[place] = {
        as: "repeated",
        problem: undefined,
        repeats: hasTraining
          ? "sequences of the training dumps (policy_loss_debug)"
          : "the call of another rank (tensor parallel)",
      };
    }
    if (digest !== undefined) seen.add(digest);
  }
}

function joinRun(parts: readonly PartFile[]): readonly Joined[] {
  const joined = parts.map(({ problem }) => READ_ALONE(problem));
  const byStep = new Map<number | undefined, number[]>();
  const calls: number[] = [];
  const mirrors: number[] = [];
  for (const [place, part] of parts.entries()) {
    const { kind, step } = readFacts(part);
    if (kind === "policy-loss") calls.push(place);
    else if (kind === "mirror") mirrors.push(place);
    else if (kind !== "evaluation") byStep.set(step, [...(byStep.get(step) ?? []), place]);
  }
  for (const places of byStep.values()) joinStep(places, parts, joined);
  joinCalls(calls, parts, joined);
  joinMirrors(mirrors, parts, joined);
  describeEvaluations(parts, joined);
  return joined;
}

/**
 * The run of each file. Training and rollout dumps may lie in folders of different names (`--save-debug-train-data
 * A/{rollout_id}.pt --save-debug-rollout-data B/{rollout_id}.pt`): if one folder has only training dumps and a single
 * other one only rollout dumps, they belong to one run. Samples still join by index and length.
 */
function assignRuns(parts: readonly PartFile[]): readonly string[] {
  const kinds = new Map<string, Set<string>>();
  for (const part of parts) {
    const known = kinds.get(part.run) ?? new Set();
    kinds.set(part.run, known.add(readFacts(part).kind));
  }
  const lacking = (has: string, lacks: string): string[] =>
    [...kinds].filter(([, seen]) => seen.has(has) && !seen.has(lacks)).map(([run]) => run);
  const [train, rollout] = [lacking("train", "rollout"), lacking("rollout", "train")];
  const isPair = train.length === 1 && rollout.length === 1;
  return parts.map(({ run }) => (isPair && run === rollout[0] ? train[0]! : run));
}

export function joinDumps(parts: readonly PartFile[]): readonly Joined[] {
  const runs = assignRuns(parts);
  const joined: Joined[] = parts.map(({ problem }) => READ_ALONE(problem));
  for (const run of new Set(runs)) {
    const places = [...runs.keys()].filter((place) => runs[place] === run);
    const members = joinRun(places.map((place) => parts[place]!));
    for (const [i, one] of members.entries()) {
      const companions = one.companions?.map((place) => places[place]!);
      joined[places[i]!] = companions === undefined ? one : { ...one, companions };
    }
  }
  return joined;
}
