/**
 * Responses sampled from a policy, kept as they come: what is sampled already is not sampled again.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { isLogratioError, UnsupportedError, UsageError } from "../core/base/index.ts";
import { type Finding, FindingLog } from "../core/schema/index.ts";
import { appendJsonl } from "../input/ingest/index.ts";
import { writeWholeFile } from "../input/io/index.ts";
import type { TokenDecoder } from "../input/tokens/index.ts";
import { gradeAnswer } from "./grade-answer.ts";
import { type BackendOptions, openPolicy } from "./open-policy.ts";
import type { Policy, Sampled, SampleOptions } from "./policy.ts";
import { makeStudyDirectory, paths } from "./store/manifest.ts";
import type { GenerateSpec, StudySpec } from "./study-spec.ts";
import { type PreparedPrompt, type PreparedText, readPrompts } from "./texts/index.ts";

export interface SampleTextsOptions extends BackendOptions {
  readonly signal?: AbortSignal;
  /** Problems that have all their samples, and all. */
  readonly onSampled?: (done: number, total: number) => void;
}

/** A line of `rollouts.jsonl`. */
interface Rollout {
  /** What it was sampled from, with which settings: others do not count. */
  readonly from: string;
  readonly problem: string;
  readonly sample: number;
  readonly ids: readonly number[];
  readonly finishReason: Sampled["finishReason"];
}

/** Of what a line says, in hexadecimal: a line without its own is not believed. */
function computeDigest({ from, problem, sample, ids, finishReason }: Rollout): string {
  const said = JSON.stringify([from, problem, sample, ids, finishReason]);
  return createHash("sha256").update(said).digest("hex").slice(0, 16);
}

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
  const { signal, onSampled } = options;
  if (spec.texts.problems === undefined) {
    throw new UsageError("--generate needs a file of problems", {
      hint: "logratio score problems.json --generate 4 …",
    });
  }
  const { prompts, findings: read } = await readPrompts({ ...spec.texts, tokenizer });
  const findings = new FindingLog();
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
          const settings = { ...generate, seed: generate.seed + i, stopIds };
          rollouts = await sample(policy, prompt, settings, from, signal);
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
        // Gives a line that a killed run left without its end one, so that the next does not run into it.
        appendJsonl(
          file,
          rollouts.map((rollout) => JSON.stringify({ ...rollout, digest: computeDigest(rollout) })),
        );
      }
      texts.push(...rollouts.flatMap((rollout) => sampledText(rollout, prompt, generate.from, tokenizer)));
      onSampled?.(i + 1, prompts.length);
    }
  } finally {
    await policy?.close();
  }
  return { texts, findings: [...read, ...findings.list()] };
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
  const settings = { n, temperature, topP, maxTokens, seed, stopIds };
  const sampled = await policy.sample(promptIds, settings, signal);
  return sampled.map(({ ids, finishReason }, i) => {
    return { from, problem, sample: i, ids: Array.from(ids), finishReason };
  });
}

/** Lines of an earlier run by problem. Those that are not what was written are sampled again. */
async function readRollouts(
  file: string,
  from: string,
  findings: FindingLog,
): Promise<Map<string, Rollout[]>> {
  const text = await readFile(file, "utf8").catch(() => "");
  const found = new Map<string, Rollout[]>();
  const sound: string[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    if (line === "") continue;
    const rollout = parseRollout(line);
    if (rollout === undefined) {
      findings.add({
        code: "partial-line",
        severity: "warning",
        count: 1,
        describe: (count) => `${count} sampled responses are damaged and will be sampled again`,
        at: { file, line: at + 1 },
        likely: "the run that sampled them was killed, or the disk was full",
      });
      continue;
    }
    sound.push(line);
    if (rollout.from !== from) continue;
    const others = found.get(rollout.problem) ?? [];
    if (others.some(({ sample }) => sample === rollout.sample)) continue;
    found.set(rollout.problem, [...others, rollout]);
  }
  for (const rollouts of found.values()) rollouts.sort((a, b) => a.sample - b.sample);
  // What is sampled again is appended, so what it replaces goes.
  if (findings.list().length > 0) await writeWholeFile(file, sound.map((line) => `${line}\n`).join(""));
  return found;
}

function parseRollout(line: string): Rollout | undefined {
  try {
    const rollout = JSON.parse(line) as Rollout & { readonly digest: unknown };
    return rollout.digest === computeDigest(rollout) ? rollout : undefined;
  } catch {
    return undefined;
  }
}

function sampledText(
  { ids, sample, problem }: Rollout,
  prompt: PreparedPrompt,
  source: string,
  tokenizer: TokenDecoder,
): PreparedText[] {
  if (ids.length === 0) return [];
  const { answer, level, subject, promptIds, promptText } = prompt;
  const responseText = tokenizer.decode(ids.filter((id) => !tokenizer.specialIds.has(id)));
  return [
    {
      id: `${source}:${problem}#${sample}`,
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
