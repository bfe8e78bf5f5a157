/**
 * slime and miles: debug dumps (`.pt`) of training data, of rollouts and, from miles, of the policy loss. Log-probs and
 * masks cover the response, `tokens` covers prompt and response, and nothing is padded. Files of one step are read
 * together (`parts.ts`).
 *
 * @module
 */

import { UnsupportedError } from "../../../core/base/index.ts";
import type { SequenceDraft } from "../../../core/schema/index.ts";
import { plural } from "../../../core/text/index.ts";
import type { Adapter, AdapterContext, Match } from "../../../input/adapters/adapter.ts";
import { describeValue, readScalar } from "../../../input/adapters/shared/tree-values.ts";
import type { TreeDocument } from "../../../input/io/index.ts";
import { type Surroundings, toDraft, toRolloutDraft } from "./draft.ts";
import { asDump, type Dump } from "./dump.ts";
import { describeDump, findSides, nameTrainer } from "./explain.ts";
import { matchMirror, readMirror } from "./mirror.ts";
import { type DumpPart, joinDumps, readIndices, type SharedFacts } from "./parts.ts";
import { examinePolicyLoss, findPolicyLoss, toPolicyLossDraft } from "./policy-loss.ts";
import { matchPolicyLoss } from "./policy-loss-match.ts";
import { readRawRewards } from "./rewards.ts";
import { readRolloutSample, readRolloutSamples } from "./rollout-dump.ts";

/** Blocks of about the requested number of tokens. */
async function* inBlocks(
  samples: number,
  { blockTokens }: AdapterContext,
  read: (i: number) => Promise<SequenceDraft>,
): AsyncGenerator<readonly SequenceDraft[]> {
  let drafts: SequenceDraft[] = [];
  let tokens = 0;
  for (let i = 0; i < samples; i++) {
    const draft = await read(i);
    drafts.push(draft);
    tokens += draft.length;
    if (tokens >= blockTokens) {
      yield drafts;
      drafts = [];
      tokens = 0;
    }
  }
  if (drafts.length > 0) yield drafts;
}

const readKind = (facts: unknown): DumpPart["kind"] => (facts as DumpPart).kind;

/** Dumps of all context-parallel ranks, in order. */
async function openSlices(dump: Dump, { companions = [] }: AdapterContext): Promise<readonly Dump[]> {
  const slices: [number, Dump][] = [[(await readScalar(dump.root.cp_rank)) ?? 0, dump]];
  for (const companion of companions) {
    if (readKind(companion.facts) !== "train") continue;
    const document = await companion.open();
    const slice = document.kind === "tree" ? await asDump(document.root) : undefined;
    if (slice !== undefined) slices.push([(companion.facts as DumpPart).cpRank, slice]);
  }
  return slices.sort(([a], [b]) => a - b).map(([, slice]) => slice);
}

async function* readTraining(
  dump: Dump,
  file: string,
  context: AdapterContext,
): AsyncGenerator<readonly SequenceDraft[]> {
  const { companions = [], findings } = context;
  const samples = await readRolloutSamples(companions, ({ facts }) => readKind(facts) === "rollout");
  const rewards = await readRawRewards(dump, samples, context.shared as SharedFacts | undefined);
  const around: Surroundings = { file, samples, rewards, slices: await openSlices(dump, context) };
  if (rewards?.rows === "unknown") {
    findings.add({
      code: "note",
      severity: "warning",
      subject: "raw_reward",
      count: dump.samples,
      at: { file },
      likely:
        "each rank's file holds the rewards of the whole rollout batch, and no file here says which are its own",
      hint: "give the parent folder, with train_data/ and rollout_data/ of all ranks",
      describe: (count) =>
        `${plural(count, "sequence")} without a reward: raw_reward covers ${rewards.covered} samples, this file has ${dump.samples}`,
    });
  }
  yield* inBlocks(dump.samples, context, async (i) => {
    const draft = await toDraft(dump, i, around);
    if (samples !== undefined && draft.groupId === undefined) {
      findings.add({
        code: "note",
        severity: "warning",
        subject: "not in the rollout dump",
        count: 1,
        at: { file, row: i },
        likely:
          "the two folders belong to different runs, or the rollout dump was overwritten by a resumed run",
        describe: (count) =>
          `${plural(count, "sequence")} of the training dumps ${count === 1 ? "is" : "are"} not in the rollout dump of the step: group, prompt and versions are unknown`,
      });
    }
    return draft;
  });
}

async function* readBlocks(
  document: TreeDocument,
  context: AdapterContext,
): AsyncGenerator<readonly SequenceDraft[]> {
  const calls = findPolicyLoss(document.root);
  if (calls !== undefined) {
    const facts = await examinePolicyLoss(document.root, calls);
    yield* inBlocks(calls.length, context, (i) => toPolicyLossDraft(calls[i]!, i, facts));
    return;
  }
  const dump = (await asDump(document.root))!;
  if (dump.kind !== "rollout") yield* readTraining(dump, document.file, context);
  else
    yield* inBlocks(dump.samples, context, async (i) =>
      toRolloutDraft(dump, i, await readRolloutSample(dump, i)),
    );
}

function isEvaluation(file: string): boolean {
  return /(?:^|[/\\])eval_[^/\\]*$/.test(file);
}

async function describePart(dump: Dump, file: string): Promise<DumpPart> {
  const cpSize = Math.max(1, (await readScalar(dump.root.cp_size)) ?? 1);
  const isRollout = dump.kind === "rollout";
  return {
    kind: isRollout ? (isEvaluation(file) ? "evaluation" : "rollout") : "train",
    step: await readScalar(dump.root.rollout_id),
    rank: (await readScalar(dump.root.rank)) ?? 0,
    cpRank: (await readScalar(dump.root.cp_rank)) ?? 0,
    cpSize,
    indices: await readIndices(dump),
    bothSides: dump.has("log_probs") && dump.has("rollout_log_probs"),
  };
}

/** The problem of a single slice; `joinDumps` removes it when the others are present. */
function refuseSlice({ cpRank, cpSize }: DumpPart, file: string): Match["problem"] {
  if (cpSize === 1) return undefined;
  return new UnsupportedError(
    `this miles dump is slice ${cpRank} of ${cpSize} context-parallel slices of each response`,
    {
      at: { file },
      hint: "give the folder with the files of all ranks",
    },
  );
}

export const slime: Adapter = {
  name: "slime",
  join: joinDumps,
  async detect(document) {
    if (document.kind !== "tree") return matchMirror(document);
    const calls = findPolicyLoss(document.root);
    if (calls !== undefined) return matchPolicyLoss(document, calls);
    const dump = await asDump(document.root);
    if (dump === undefined || (dump.kind === "train-v1" && !dump.has("tokens"))) return undefined;
    const part = await describePart(dump, document.file);
    const sides = findSides(dump, document.file, part.kind === "evaluation");
    return {
      score: 0.95,
      ...describeDump(dump, describeValue),
      step: part.step,
      rank: dump.kind === "train-v1" ? await readScalar(document.root.rank) : undefined,
      ...sides,
      problem: sides.problem ?? (sides.onePolicy ? undefined : refuseSlice(part, document.file)),
      part,
    };
  },
  async read(document, context) {
    if (document.kind === "rows")
      return { trainer: "miles", alignment: "token", sampling: {}, blocks: readMirror(document, context) };
    const { root } = document;
    const dump = await asDump(root);
    return {
      trainer: dump === undefined ? "miles" : nameTrainer(dump),
      alignment: "token",
      sampling: {},
      blocks: readBlocks(document, context),
    };
  },
};
