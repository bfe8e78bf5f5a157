/**
 * Samples responses from a policy, and saves each as it arrives, so that none is sampled twice.
 *
 * @module
 */
import { isLogratioError, UnsupportedError, UsageError } from "../../core/base/index.ts";
import { type Finding, FindingLog } from "../../core/schema/index.ts";
import { plural } from "../../core/text/index.ts";
import type { TokenDecoder } from "../../input/tokens/index.ts";
import { gradeAnswer } from "./grade-answer.ts";
import { type BackendOptions, openPolicy } from "./open-policy.ts";
import type { Policy, Sampled, SampleOptions } from "./policy.ts";
import { appendLines, type LinesForm, resumeLines } from "./store/lines-file.ts";
import { makeStudyDirectory, paths } from "./store/manifest.ts";
import type { GenerateSpec, StudySpec } from "./study-spec.ts";
import type { PreparedText } from "./texts/prepare-text.ts";
import { type PreparedPrompt, readPrompts } from "./texts/read-prompts.ts";

export interface SampleTextsOptions extends BackendOptions {
  readonly signal?: AbortSignal;
  /** Called with the number of problems that have all their samples, and the total. */
  readonly onSampled?: (done: number, total: number) => void;
}

/** A line of `rollouts.jsonl`. */
interface Rollout {
  /** The policy and options that it was sampled with; lines with others do not count. */
  readonly from: string;
  readonly problem: string;
  readonly sample: number;
  readonly ids: readonly number[];
  readonly finishReason: Sampled["finishReason"];
}

const FORM: LinesForm<Rollout> = {
  said: ({ from, problem, sample, ids, finishReason }) => [from, problem, sample, ids, finishReason],
  describeDamage: (count) => `${plural(count, "sampled response")} ${count === 1 ? "is" : "are"} damaged`,
  again: "sampled again",
  likely: "the run that sampled them was killed, or the disk was full",
};

/**
 * `n` responses to each problem of the study, from the policy that `generate` names.
 *
 * @throws UnsupportedError when that policy cannot sample
 */
export async function sampleTexts(
  spec: StudySpec,
  generate: GenerateSpec,
  tokenizer: TokenDecoder,
  options: SampleTextsOptions,
): Promise<{ texts: PreparedText[]; findings: readonly Finding[] }> {
  if (spec.texts.problems === undefined) {
    throw new UsageError("--generate needs a file of problems", {
      hint: "logratio score problems.json --generate 4 …",
    });
  }
  const { prompts, findings: read } = await readPrompts({ ...spec.texts, tokenizer });
  const findings = new FindingLog();
  const { temperatures, ...each } = generate;
  if (temperatures === undefined) {
    const texts = await sampleAt(spec, each, { tokenizer, prompts, findings, named: "" }, options);
    return { texts, findings: [...read, ...findings.list()] };
  }
  const texts: PreparedText[] = [];
  for (const temperature of temperatures) {
    const named = `@t${temperature}`;
    const sampled = await sampleAt(
      spec,
      { ...each, temperature },
      { tokenizer, prompts, findings, named },
      options,
    );
    texts.push(...sampled);
    findings.add({
      code: "note",
      severity: "info",
      subject: `sampled ${named}`,
      count: sampled.length,
      at: { file: paths.rollouts(spec.out) },
      describe: (count) =>
        `${plural(count, "response")} of ${generate.from} at temperature ${temperature}${describeRight(sampled)}`,
    });
  }
  return { texts, findings: [...read, ...findings.list()] };
}

function describeRight(texts: readonly PreparedText[]): string {
  const judged = texts.filter(({ correct }) => correct !== undefined);
  const right = judged.filter(({ correct }) => correct).length;
  return judged.length === 0 ? "" : `: ${right} of ${judged.length} with a known answer are right`;
}

interface Sampling {
  readonly tokenizer: TokenDecoder;
  readonly prompts: readonly PreparedPrompt[];
  readonly findings: FindingLog;
  /** Prefix of the texts' names before their number: the temperature, if there are several. */
  readonly named: string;
}

/** Responses at one temperature. */
async function sampleAt(
  spec: StudySpec,
  generate: GenerateSpec,
  { tokenizer, prompts, findings, named }: Sampling,
  options: SampleTextsOptions,
): Promise<PreparedText[]> {
  const { signal, onSampled } = options;
  const at = spec.policies.find(({ name }) => name === generate.from)!.at;
  const from = JSON.stringify([generate.from, at, generate]);
  const file = paths.rollouts(spec.out);
  const known = await readRollouts(file, from, findings);
  const stopIds = tokenizer.eosId === undefined ? [] : [tokenizer.eosId];
  const texts: PreparedText[] = [];
  let policy: Policy | undefined;
  try {
    for (const [i, prompt] of prompts.entries()) {
      if (signal?.aborted) break;
      let rollouts = known.get(prompt.problem);
      if (rollouts === undefined || rollouts.length < generate.n) {
        policy ??= await openPolicy(generate.from, at, { topK: spec.topK, ...options });
        try {
          const request = { ...generate, seed: generate.seed + i, stopIds };
          rollouts = await sample(policy, prompt, request, from, signal);
        } catch (error) {
          if (signal?.aborted) break;
          if (!isLogratioError(error, "TextRefusedError")) throw error;
          findings.add({
            code: "text-refused",
            severity: "skipped",
            subject: error.reason,
            count: 1,
            at: {},
            describe: (count) =>
              `${generate.from} gave no responses to ${count} problems; the first, ${prompt.problem}: ${error.message}`,
          });
          continue;
        }
        await makeStudyDirectory(spec.out);
        appendLines(file, FORM, rollouts);
      }
      const whose = { source: generate.from, named };
      texts.push(...rollouts.flatMap((rollout) => sampledText(rollout, prompt, whose, tokenizer)));
      onSampled?.(i + 1, prompts.length);
    }
  } finally {
    await policy?.close();
  }
  return texts;
}

async function sample(
  policy: Policy,
  { problem, promptIds }: PreparedPrompt,
  { n, temperature, topP, maxTokens, seed, stopIds }: SampleOptions,
  from: string,
  signal: AbortSignal | undefined,
): Promise<Rollout[]> {
  if (policy.sample === undefined) {
    throw new UnsupportedError(`${policy.name} cannot sample: it has only saved logits`, {
      hint: "use --generate-from with a local model or a server",
    });
  }
  const request = { n, temperature, topP, maxTokens, seed, stopIds };
  const sampled = await policy.sample(promptIds, request, signal);
  return sampled.map(({ ids, finishReason }, i) => {
    return { from, problem, sample: i, ids: Array.from(ids), finishReason };
  });
}

/** Lines of an earlier run by problem. Damaged ones are sampled again. */
async function readRollouts(
  file: string,
  from: string,
  findings: FindingLog,
): Promise<Map<string, Rollout[]>> {
  const found = new Map<string, Rollout[]>();
  for (const rollout of await resumeLines(file, FORM, findings)) {
    if (rollout.from !== from) continue;
    const others = found.get(rollout.problem) ?? [];
    if (others.some(({ sample }) => sample === rollout.sample)) continue;
    found.set(rollout.problem, [...others, rollout]);
  }
  for (const rollouts of found.values()) rollouts.sort((a, b) => a.sample - b.sample);
  return found;
}

function sampledText(
  { ids, sample, problem }: Rollout,
  prompt: PreparedPrompt,
  { source, named }: { readonly source: string; readonly named: string },
  tokenizer: TokenDecoder,
): PreparedText[] {
  if (ids.length === 0) return [];
  const { answer, level, subject, promptIds, promptText } = prompt;
  const responseText = tokenizer.decode(ids.filter((id) => !tokenizer.specialIds.has(id)));
  return [
    {
      id: `${source}:${problem}${named}#${sample}`,
      problem,
      source,
      promptText,
      promptLength: promptIds.length,
      promptIds,
      responseText,
      idsFrom: "tokenizer",
      at: {},
      tokenIds: Int32Array.from(ids),
      tokens: ids.map((id) => tokenizer.textOf(id)),
      mask: new Uint8Array(ids.length).fill(1),
      correct: answer === undefined ? undefined : gradeAnswer(responseText, answer),
      level,
      subject,
      answer,
      errorToken: undefined,
    },
  ];
}
