/**
 * verifiers traces, which prime-rl writes by default: one episode per line, with traces that are graphs of messages.
 * Each node holds the tokens that it adds; each path from a root to a leaf is a sequence. Where paths share nodes (after
 * a compaction of the context, with sub-agents), the sampled tokens of the shared part count in the first path.
 *
 * The trainer's log-probs are in files beside the traces (`parts.ts`, `annotations.ts`), or in the nodes of traces onto
 * which these were folded. A trace that the trainer did not train on has none, and is left out where others have them.
 *
 * Layout: `MessageNode` of `verifiers/v1/graph.py`, `Trace` and `Episode` (verifiers commit a60a606e and release 0.4.0),
 * written by `src/prime_rl/monitors/file/monitor.py` (prime-rl commit 048a6e23; before, `rollouts/step_N/KIND/SUBSET/
 * traces.jsonl` of commit 559b4477) and counted as `iter_trainable_branches` of
 * `src/prime_rl/orchestrator/trajectories.py` counts them.
 *
 * @module
 */
import { MissingSideError, Unavailable } from "../../../core/base/index.ts";
import type { FindingLog, SequenceDraft } from "../../../core/schema/index.ts";
import type { Adapter, AdapterContext, Match } from "../../../input/adapters/adapter.ts";
import {
  listMaps,
  listNumbers,
  numberIn,
  readObjects,
  sampleObjects,
  textIn,
} from "../../../input/adapters/shared/objects.ts";
import type { SourceDocument, TreeMap } from "../../../input/io/index.ts";
import { type Annotations, openAnnotations } from "./annotations.ts";
import { findByIndex, findFirstRow } from "./by-index.ts";
import { reportTrace, reportWithoutTokens } from "./findings.ts";
import { joinTraces, type SharedFacts, type TracesPart } from "./parts.ts";
import { findVersion, readTrace } from "./trace.ts";

/** An episode has traces; `Trace.to_record` writes a single trace. */
function listTraces(object: TreeMap): readonly TreeMap[] {
  return object.nodes === undefined ? listMaps(object.traces) : [object];
}

function listNodes(object: TreeMap): readonly TreeMap[] {
  return listTraces(object).flatMap(({ nodes }) => listMaps(nodes));
}

function hasValues(holders: readonly TreeMap[], name: string): boolean {
  return holders.some((holder) => (listNumbers(holder[name])?.length ?? 0) > 0);
}

/** What reading the traces of a file needs. */
interface TraceContext {
  readonly file: string;
  readonly findings: FindingLog;
  readonly annotations: Pick<Annotations, "of"> | undefined;
  readonly onlyTrained: boolean;
}

async function readEpisode(
  episode: TreeMap,
  { file, findings, annotations, onlyTrained }: TraceContext,
): Promise<readonly SequenceDraft[] | Unavailable> {
  const version = findVersion(episode);
  const drafts: SequenceDraft[] = [];
  let sampled = 0;
  for (const trace of listTraces(episode)) {
    const id = textIn(trace, "id");
    const updates = (id === undefined ? undefined : await annotations?.of(id, findings)) ?? [];
    const reading = readTrace({ trace, updates, version, onlyTrained });
    if (reading instanceof Unavailable) return reading;
    reportTrace(findings, file, reading);
    sampled += reading.sampled;
    for (const draft of reading.drafts) {
      drafts.push({
        ...draft,
        step: numberIn(episode, "run", "work", "step"),
        groupId: textIn(episode, "group", "id"),
        environment: textIn(episode, "env", "name") ?? textIn(episode, "env", "id"),
      });
    }
  }
  if (sampled > 0) return drafts;
  if (hasValues(listNodes(episode), "token_ids")) return new Unavailable("no sampled tokens in this episode");
  reportWithoutTokens(findings, file);
  return [];
}

async function* readBlocks(
  document: SourceDocument,
  { findings, companions = [], shared, onlyRow }: AdapterContext,
): AsyncGenerator<readonly SequenceDraft[]> {
  const found = onlyRow && (await findByIndex(document, onlyRow.row, companions, findings));
  if (found !== undefined) onlyRow!.onAlone();
  if (found === "elsewhere") return;
  const files = companions.filter(({ facts }) => (facts as TracesPart).kind === "annotations");
  const annotations =
    files.length === 0 || found !== undefined ? undefined : await openAnnotations(files, findings);
  const context: TraceContext = {
    file: document.file,
    findings,
    annotations: found ?? annotations,
    onlyTrained:
      companions.some(({ facts }) => (facts as TracesPart).hasTrainer) ||
      hasValues(sampleObjects(document).flatMap(listNodes), "trainer_logprobs"),
  };
  if (found !== undefined) {
    const drafts = await readEpisode(found.episode, context);
    const place = { row: onlyRow!.row, sourceOffset: found.offset };
    if (!(drafts instanceof Unavailable)) yield drafts.map((draft) => ({ ...draft, ...place }));
    return;
  }
  const firstRow = await findFirstRow(document.file, companions);
  yield* readObjects(document, findings, (episode) => readEpisode(episode, context), firstRow);
  annotations?.finishFile((shared as SharedFacts).traceFiles, findings);
}

const HINT =
  "give the whole run: since 31 August 2026 (pull request 3444) prime-rl writes the trainer's log-probs beside the traces, in monitors/file/traces/annotations; before, trainer.enable_token_export=true writes both policies to token_exports/";

function matchTraces(document: SourceDocument, nodes: readonly TreeMap[]): Match {
  const present = hasValues(nodes, "logprobs");
  const hasTrainer = hasValues(nodes, "trainer_logprobs");
  const error = new MissingSideError(
    present
      ? "these are verifiers traces: they hold the rollout policy's log-probs, not the trainer's"
      : "these are verifiers traces: they hold neither token ids nor log-probs",
    {
      at: { file: document.file },
      likely: present
        ? "prime-rl's orchestrator writes them before the trainer sees the tokens"
        : "they were written by an evaluation, whose client does not ask for tokens",
      hint: HINT,
    },
  );
  const part: TracesPart = { kind: "traces", hasTrainer };
  const found = [
    ["logprobs", "rollout log-probs: nodes.logprobs, of the sampled tokens"],
    ["trainer_logprobs", "trainer log-probs: nodes.trainer_logprobs"],
    ["reference_logprobs", "reference log-probs: nodes.reference_logprobs"],
    ["entropies", "trainer entropy: nodes.entropies"],
    ["advantages", "advantages: nodes.advantages"],
    ["mask", "response mask: nodes.mask"],
    ["token_ids", "prompt and response token ids: nodes.token_ids"],
  ].flatMap(([name, line]) => (hasValues(nodes, name!) ? [line!] : []));
  return {
    score: 0.9,
    found: ["verifiers episodes: traces of message nodes, one sequence per path from root to leaf", ...found],
    guessed: present ? ["tokens shared by several paths count only in the first"] : [],
    missing: hasTrainer ? [] : ["trainer log-probs"],
    ...(!present
      ? { problem: error }
      : hasTrainer
        ? {}
        : { onePolicy: { has: "rollout", what: "verifiers traces", error } as const }),
    part,
  };
}

/** Annotations or an index, which say something only together with traces. */
function matchBeside(document: SourceDocument, kind: "annotations" | "index", hasTrainer: boolean): Match {
  const what =
    kind === "index" ? "an index of prime-rl's traces or annotations" : "prime-rl's annotations of traces";
  const part: TracesPart = { kind, hasTrainer };
  return {
    score: 0.9,
    found: [what],
    guessed: [],
    missing: [],
    problem: new MissingSideError(`this is ${what}, without the traces`, {
      at: { file: document.file },
      hint: "give the run's directory, or its monitors/file/traces, which has the folder stream beside them",
    }),
    part,
  };
}

function isIndexRow(row: TreeMap): boolean {
  if (numberIn(row, "offset") === undefined) return false;
  const number = numberIn(row, "line") ?? numberIn(row, "n");
  const isOfTraces = number !== undefined && (row.chunk !== undefined || row.trace_ids !== undefined);
  return isOfTraces || (textIn(row, "trace_id") !== undefined && row.info !== undefined);
}

export const verifiers: Adapter = {
  name: "verifiers",
  join: joinTraces,
  async detect(document) {
    const objects = sampleObjects(document);
    const nodes = objects.flatMap(listNodes);
    if (nodes.some((node) => "message" in node)) return matchTraces(document, nodes);
    if (document.kind !== "rows") return undefined;
    const annotations = objects.filter(
      ({ trace_id, branches }) => trace_id !== undefined && branches !== undefined,
    );
    if (annotations.length > 0) {
      const branches = annotations.flatMap((update) => listMaps(update.branches));
      return matchBeside(document, "annotations", hasValues(branches, "trainer_logprobs"));
    }
    return objects.length > 0 && objects.every(isIndexRow)
      ? matchBeside(document, "index", false)
      : undefined;
  },
  async read(document, context) {
    return { alignment: "token", sampling: {}, blocks: readBlocks(document, context) };
  },
};
