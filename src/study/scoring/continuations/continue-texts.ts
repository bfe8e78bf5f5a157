/**
 * Free continuations of forced texts: every policy continues from within a wrong text, and its answer is graded.
 *
 * @module
 */
import { containError, isLogratioError, UnsupportedError } from "../../../core/base/index.ts";
import { type Finding, FindingLog } from "../../../core/schema/index.ts";
import type { TokenDecoder } from "../../../input/tokens/index.ts";
import { gradeAnswer } from "../grade-answer.ts";
import { isStudyFailure } from "../is-study-failure.ts";
import { computeKey } from "../keyed-text.ts";
import type { BackendOptions } from "../open-policy.ts";
import type { Policy } from "../policy.ts";
import { PolicyPool } from "../policy-pool.ts";
import { reportPolicy } from "../scoring-findings.ts";
import { makeStudyDirectory } from "../store/manifest.ts";
import { type ContinueSpec, inTrainingOrder, isAsked, type StudySpec } from "../study-spec.ts";
import type { PreparedText } from "../texts/prepare-text.ts";
import { appendContinuations, type Continuation, keepContinuations } from "./continuations-file.ts";
import { forcedTokens } from "./places.ts";

const DEFAULT_CONCURRENCY = 8;

export interface ContinueTextsOptions extends BackendOptions {
  readonly signal?: AbortSignal;
  /** Called with the number of texts that a policy has continued, and the total. */
  readonly onContinued?: (policy: string, done: number, total: number) => void;
}

/** A text at one of its places. */
interface Start {
  readonly text: PreparedText;
  readonly key: string;
  readonly place: string;
  /** Response tokens that are forced. */
  readonly position: number;
  readonly seed: number;
}

interface Run {
  readonly spec: StudySpec;
  readonly asked: ContinueSpec;
  readonly settings: string;
  readonly starts: readonly Start[];
  readonly known: ReadonlySet<string>;
  readonly tokenizer: TokenDecoder;
  readonly options: ContinueTextsOptions;
  readonly pool: PolicyPool;
  readonly findings: FindingLog;
}

/**
 * Continues the wrong texts whose answer is known, under every policy, into the study's directory. Samples of an
 * earlier run with the same settings are kept. A policy that cannot sample, or a text that it refuses, becomes a
 * finding.
 */
export async function continueTexts(
  spec: StudySpec,
  asked: ContinueSpec,
  texts: readonly PreparedText[],
  tokenizer: TokenDecoder,
  options: ContinueTextsOptions,
): Promise<readonly Finding[]> {
  const findings = new FindingLog();
  const pool = new PolicyPool(spec, tokenizer.name, {}, options);
  await pool.lookAround();
  await makeStudyDirectory(spec.out);
  const { places: _, ...how } = asked;
  const settings = JSON.stringify(how);
  const names = new Set(spec.policies.map(({ name }) => name));
  const kept = await keepContinuations(
    spec.out,
    (line) =>
      names.has(line.policy) &&
      line.fingerprint === pool.fingerprint(line.policy) &&
      line.settings === settings,
    findings,
  );
  const run: Run = {
    spec,
    asked,
    settings,
    starts: listStarts(texts, asked, findings),
    known: new Set(kept.map(nameSample)),
    tokenizer,
    options,
    pool,
    findings,
  };
  try {
    for (const policy of inTrainingOrder(spec.policies)) {
      if (options.signal?.aborted) break;
      if (!isAsked(policy, spec)) continue;
      try {
        await continueUnder(policy.name, run);
      } catch (error) {
        if (options.signal?.aborted) break;
        if (isStudyFailure(error, spec.out)) throw error;
        reportPolicy(findings, policy, containError(error, { file: policy.at }, "policy"), "continued");
      }
      await pool.closeAllBut(new Set());
    }
  } finally {
    await pool.closeAllBut(new Set());
  }
  return findings.list();
}

function nameSample({ policy, key, place, position, sample }: Omit<Continuation, "fingerprint">): string {
  return JSON.stringify([policy, key, place, position, sample]);
}

/** Starting places in wrong texts; texts that cannot be continued or graded are counted. */
function listStarts(texts: readonly PreparedText[], asked: ContinueSpec, findings: FindingLog): Start[] {
  const starts: Start[] = [];
  const leaveOut = (why: string, hint?: string): void =>
    findings.add({
      code: "note",
      severity: "info",
      subject: `not continued ${why}`,
      count: 1,
      at: {},
      describe: (count) => `${count} ${count === 1 ? "text was" : "texts were"} not continued: ${why}`,
      ...(hint !== undefined && { hint }),
    });
  for (const [i, text] of texts.entries()) {
    if (text.correct !== false) {
      leaveOut("only wrong texts are");
      continue;
    }
    if (text.answer === undefined) {
      leaveOut("the answer to the problem is not known", "give the problems a column answer");
      continue;
    }
    for (const place of asked.places) {
      const position = forcedTokens(place, text);
      if (position === undefined) leaveOut(`no place ${place} is known within them`);
      else starts.push({ text, key: computeKey(text), place, position, seed: asked.seed + i });
    }
  }
  const withTools = texts.filter(({ correct, mask }) => correct === false && mask.includes(0)).length;
  if (withTools > 0)
    findings.add({
      code: "note",
      severity: "warning",
      subject: "tools",
      count: withTools,
      at: {},
      describe: (count) =>
        `${count} of the continued texts ${count === 1 ? "has" : "have"} tool output, and continuations run no tools: a policy that calls one makes up its output`,
    });
  return starts;
}

async function continueUnder(name: string, run: Run): Promise<void> {
  const { asked, known, options, pool } = run;
  const { signal, onContinued } = options;
  const left = run.starts.filter(({ key, place, position }) =>
    Array.from({ length: asked.n }, (_, sample) => sample).some(
      (sample) => !known.has(nameSample({ ...EMPTY, policy: name, key, place, position, sample })),
    ),
  );
  if (left.length === 0) return;
  const policy = await pool.open(name);
  if (policy.sample === undefined) {
    throw new UnsupportedError("it has only saved logits and cannot generate text", {
      hint: "continuations need hf:, onnx: or a server",
    });
  }
  const queue = left.values();
  let done = 0;
  // A local model writes one text's samples at a time; a server can handle more.
  const lanes = policy.facts.backend === "onnx" || policy.facts.backend === "hf" ? 1 : undefined;
  const lane = async (): Promise<void> => {
    for (const start of queue) {
      if (signal?.aborted) return;
      await continueText(policy, start, run);
      onContinued?.(name, ++done, left.length);
    }
  };
  const count = lanes ?? options.concurrency ?? DEFAULT_CONCURRENCY;
  await Promise.all(Array.from({ length: count }, lane));
}

const EMPTY = {
  settings: "",
  text: "",
  ids: [],
  response: "",
  correct: null,
  finishReason: "other",
} as const;

async function continueText(policy: Policy, start: Start, run: Run): Promise<void> {
  const { asked, tokenizer, settings, spec, options, pool, findings } = run;
  const { text, key, place, position, seed } = start;
  const forced = [...text.promptIds, ...text.tokenIds.subarray(0, position)];
  const stopIds = tokenizer.eosId === undefined ? [] : [tokenizer.eosId];
  const { n, temperature, topP, maxTokens } = asked;
  try {
    const sampled = await policy.sample!(
      Int32Array.from(forced),
      { n, temperature, topP, maxTokens, seed, stopIds },
      options.signal,
    );
    const read = (ids: readonly number[]): string =>
      tokenizer.decode(ids.filter((id) => !tokenizer.specialIds.has(id)));
    const lines = sampled.map(({ ids, finishReason }, sample): Continuation => {
      const whole = read([...text.tokenIds.subarray(0, position), ...ids]);
      return {
        fingerprint: pool.fingerprint(policy.name),
        settings,
        policy: policy.name,
        key,
        text: text.id,
        place,
        position,
        sample,
        ids: [...ids],
        response: read([...ids]),
        correct: gradeAnswer(whole, text.answer ?? "") ?? null,
        finishReason,
      };
    });
    // Sample i is the same every time, so only missing samples are added.
    appendContinuations(
      spec.out,
      lines.filter((line) => !run.known.has(nameSample(line))),
    );
  } catch (error) {
    if (options.signal?.aborted) return;
    if (!isLogratioError(error, "TextRefusedError")) throw error;
    findings.add({
      code: "text-refused",
      severity: "skipped",
      subject: `${policy.name} continuations ${error.reason}`,
      count: 1,
      at: {},
      describe: (count) =>
        `${policy.name} did not continue ${count === 1 ? "1 text" : `${count} texts`}; the first, ${text.id}: ${error.message}`,
    });
  }
}
