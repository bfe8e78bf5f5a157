/**
 * Scores a sample of a run's sequences under several policies, for their log-probs alone. Nothing is stored.
 *
 * @module
 */
import { createDistributionPool } from "../../analyses/parallel/index.ts";
import { containError } from "../../core/base/index.ts";
import { type Finding, FindingLog } from "../../core/schema/index.ts";
import type { BackendOptions } from "./open-policy.ts";
import type { ForcedText } from "./policy.ts";
import { PolicyPool } from "./policy-pool.ts";
import { findTokenizer } from "./prepare-texts.ts";
import { RowCache } from "./row-cache.ts";
import { scorePolicy } from "./score-policy.ts";
import { reportPolicy, reportRefusals } from "./scoring-findings.ts";
import type { ScoreProgress } from "./study-scoring.ts";
import type { PolicySpec } from "./study-spec.ts";

export interface ScoreSampleOptions extends BackendOptions {
  /** Directory of the run's tokenizer: a policy whose ids mean other tokens is left out. Default: the first policy's. */
  readonly tokenizer?: string | undefined;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ScoreProgress) => void;
}

/** The log-probs that a policy gives each text. */
export interface SampleScores {
  readonly policy: PolicySpec;
  /** By the text's id, `[response tokens]`, nats. Without the texts that it refused. */
  readonly logprobs: ReadonlyMap<string, Float32Array>;
}

const DEFAULT_CONCURRENCY = 8;

/**
 * A policy that cannot be opened becomes a finding, as does a text that a policy refuses; the rest is scored.
 *
 * @param texts with ids that differ
 * @returns the policies that scored at least one text, in their order
 */
export async function scoreSample(
  policies: readonly PolicySpec[],
  texts: readonly ForcedText[],
  { tokenizer, signal, onProgress, ...backend }: ScoreSampleOptions,
): Promise<{ readonly scores: readonly SampleScores[]; readonly findings: readonly Finding[] }> {
  const spec = { policies, reference: "", pairs: [], topK: 1, attention: false };
  const pool = new PolicyPool(spec, tokenizer ?? (await findTokenizer(spec)), {}, backend);
  const rows = createDistributionPool(backend.threads);
  const findings = new FindingLog();
  const scores: SampleScores[] = [];
  try {
    for (const [at, policy] of policies.entries()) {
      if (signal?.aborted) break;
      const tell = progressTeller(policies, at, texts, onProgress);
      const logprobs = new Map<string, Float32Array>();
      try {
        const { refused, givenUp } = await scorePolicy(
          await pool.open(policy.name),
          [],
          texts.map((forced) => ({ key: forced.id, forced })),
          { add: async (row) => void logprobs.set(row.text, row.logprobs) },
          {
            topK: spec.topK,
            cache: new RowCache(0, []),
            rows,
            concurrency: backend.concurrency ?? DEFAULT_CONCURRENCY,
            onText: ({ forced }) => tell(forced),
            ...(signal && { signal }),
          },
        );
        reportRefusals(findings, policy.name, refused, givenUp);
        if (logprobs.size > 0) scores.push({ policy, logprobs });
      } catch (error) {
        if (signal?.aborted) break;
        reportPolicy(findings, policy, containError(error, { file: policy.at }, "policy"));
      }
      // Models take memory, and no later policy is compared with this one.
      await pool.closeAllBut(new Set());
    }
  } finally {
    await pool.closeAllBut(new Set());
    await rows.close();
  }
  return { scores, findings: findings.list() };
}

/** Tells the progress of a policy, given its finished texts one by one. */
function progressTeller(
  policies: readonly PolicySpec[],
  at: number,
  texts: readonly ForcedText[],
  onProgress: ScoreSampleOptions["onProgress"],
): (text: ForcedText) => void {
  const count = ({ ids, promptLength }: ForcedText): number => ids.length - promptLength;
  const all = texts.reduce((sum, text) => sum + count(text), 0);
  let [finished, tokens] = [0, 0];
  return (text) => {
    finished++;
    tokens += count(text);
    onProgress?.({
      policy: policies[at]!.name,
      policyNumber: at + 1,
      policies: policies.length,
      texts: finished,
      textsTotal: texts.length,
      tokensDone: at * all + tokens,
      tokensLeft: (policies.length - at) * all - tokens,
    });
  };
}
