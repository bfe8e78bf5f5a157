/**
 * Reasons why a comparison of two runs is meaningless or doubtful.
 *
 * @module
 */
import { formatCount } from "../../../core/text/index.ts";
import type { ComparisonWarning, SamplingInfo } from "../../../results/view.ts";
import type { SequencePair } from "./match-sequences.ts";
import type { RunFacts } from "./run-facts.ts";

export interface MaskFacts {
  /** Pairs of the same tokens whose masks differ, and all pairs of the same tokens. */
  readonly differ: number;
  readonly of: number;
}

export interface Judgement {
  readonly warnings: ComparisonWarning[];
  readonly unchecked: string[];
}

/** With a smaller share of common prompts, the runs answer different questions. */
const FEW_PROMPTS = 0.1;

type Check = (a: RunFacts, b: RunFacts) => Judgement;

/** Meaningless first. */
export function judge(a: RunFacts, b: RunFacts, pairs: readonly SequencePair[], masks: MaskFacts): Judgement {
  const checks: readonly Check[] = [
    tokenizers,
    sampling("temperature", "temperature", "temperatures"),
    sampling("logprobs_mode", "logprob-mode", "log-prob modes"),
    prompts,
    steps,
  ];
  const all = checks.map((check) => check(a, b));
  all.push({ warnings: [...groups(a, b, pairs), ...maskWarnings(masks)], unchecked: [] });
  const warnings = all.flatMap((judgement) => judgement.warnings);
  return {
    warnings: [
      ...warnings.filter(({ severity }) => severity === "meaningless"),
      ...warnings.filter(({ severity }) => severity === "doubtful"),
    ],
    unchecked: all.flatMap(({ unchecked }) => unchecked),
  };
}

function tokenizers(a: RunFacts, b: RunFacts): Judgement {
  if (!a.info.has.texts || !b.info.has.texts)
    return {
      warnings: [],
      unchecked: ["Without token texts it is unknown whether the two runs share a tokenizer."],
    };
  const warnings: ComparisonWarning[] = [];
  const shared = [...a.vocabulary.keys()].filter((id) => b.vocabulary.has(id));
  const differ = shared.filter((id) => a.vocabulary.get(id) !== b.vocabulary.get(id));
  if (differ.length > 0)
    warnings.push({
      code: "tokenizer",
      severity: "meaningless",
      what: `The tokenizers differ: ${formatCount(differ.length)} of ${formatCount(shared.length)} token ids used by both runs decode to different text, such as ${differ[0]} for ${quoted(a.vocabulary.get(differ[0]!)!)} and ${quoted(b.vocabulary.get(differ[0]!)!)}.`,
      count: differ.length,
      of: shared.length,
      follows:
        "Per-token figures are not comparable: the same text is split differently, and equal ids decode to different text.",
    });
  for (const { name, unknown, tokens } of [a, b]) {
    if (unknown === 0) continue;
    warnings.push({
      code: "tokenizer",
      severity: "meaningless",
      what: `${formatCount(unknown)} of ${formatCount(tokens)} tokens of ${name} have ids that are unknown to its tokenizer.`,
      count: unknown,
      of: tokens,
      follows: "The tokenizer is not that run's: its texts are wrong, and so is any comparison by text.",
    });
  }
  return { warnings, unchecked: [] };
}

function sampling(field: keyof SamplingInfo, code: ComparisonWarning["code"], plural: string): Check {
  return (a, b) => {
    const [inA, inB] = [a, b].map(({ info }) => new Set(info.sampling.map((said) => said[field])));
    const [saidA, saidB] = [inA!, inB!].map((values) => [...values].filter((value) => value !== null).sort());
    const silent = [...(saidA!.length === 0 ? [a] : []), ...(saidB!.length === 0 ? [b] : [])];
    if (silent.length > 0) {
      const who = silent.length === 2 ? "Neither run says" : `${silent[0]!.name} does not say`;
      return { warnings: [], unchecked: [`${who} its ${plural}.`] };
    }
    const differ = [...saidA!, ...saidB!].filter(
      (value) => !(saidA!.includes(value) && saidB!.includes(value)),
    );
    if (differ.length === 0) return { warnings: [], unchecked: [] };
    return {
      warnings: [
        {
          code,
          severity: "meaningless",
          what: `The ${plural} differ: ${saidA!.join(", ")} in ${a.name}, ${saidB!.join(", ")} in ${b.name}.`,
          count: differ.length,
          of: new Set([...saidA!, ...saidB!]).size,
          follows:
            "The log-probs come from differently scaled distributions: this alone may explain a difference in Δ.",
        },
      ],
      unchecked: [],
    };
  };
}

function prompts(a: RunFacts, b: RunFacts): Judgement {
  const [inA, inB] = [a, b].map(
    ({ sequences }) => new Set(sequences.flatMap(({ prompt }) => (prompt === undefined ? [] : [prompt]))),
  ) as [Set<string>, Set<string>];
  const silent = [...(inA.size === 0 ? [a] : []), ...(inB.size === 0 ? [b] : [])];
  if (silent.length > 0) {
    const who = silent.length === 2 ? "Neither run has" : `${silent[0]!.name} does not have`;
    return {
      warnings: [],
      unchecked: [`${who} prompts, so it is unknown whether they are the same.`],
    };
  }
  const shared = [...inA].filter((prompt) => inB.has(prompt)).length;
  const all = inA.size + inB.size - shared;
  if (shared === all) return { warnings: [], unchecked: [] };
  const few = shared < FEW_PROMPTS * Math.min(inA.size, inB.size);
  return {
    warnings: [
      {
        code: "prompts",
        severity: few ? "meaningless" : "doubtful",
        what: `${shared === 0 ? "No prompt is" : `${few ? "Only " : ""}${formatCount(shared)} of ${formatCount(all)} prompts are`} in both runs: ${formatCount(inA.size)} in ${a.name}, ${formatCount(inB.size)} in ${b.name}.`,
        count: all - shared,
        of: all,
        follows: few
          ? "The runs answer different questions: this alone makes pooled and per-step figures differ."
          : "Pooled and per-step figures partly cover different questions; pairs of sequences do not.",
      },
    ],
    unchecked: [],
  };
}

function steps(a: RunFacts, b: RunFacts): Judgement {
  const [inA, inB] = [new Set(a.info.steps), new Set(b.info.steps)];
  const shared = [...inA].filter((step) => inB.has(step)).length;
  const all = inA.size + inB.size - shared;
  if (shared === all) return { warnings: [], unchecked: [] };
  const what =
    shared > 0
      ? `${formatCount(all - shared)} of ${formatCount(all)} steps are in one of the runs only.`
      : inA.size === 0 || inB.size === 0
        ? `${(inA.size === 0 ? a : b).name} does not record steps.`
        : `No step is in both runs: ${range(a.info.steps)} in ${a.name}, ${range(b.info.steps)} in ${b.name}.`;
  return {
    warnings: [
      {
        code: "steps",
        severity: shared === 0 ? "meaningless" : "doubtful",
        what,
        count: all - shared,
        of: all,
        follows:
          shared === 0
            ? "Differences over steps cannot be shown, and pooled figures cover different phases of training."
            : "Differences are shown at common steps; pooled figures cover all steps of each run.",
      },
    ],
    unchecked: [],
  };
}

/** Groups of the same name are assumed to have the same prompt; where both prompts are known, that is checked. */
function groups(a: RunFacts, b: RunFacts, pairs: readonly SequencePair[]): ComparisonWarning[] {
  const known = pairs.filter(
    (pair) =>
      pair.how === "group" &&
      a.sequences[pair.a]!.prompt !== undefined &&
      b.sequences[pair.b]!.prompt !== undefined,
  );
  // Pairs of the same prompt have been matched by the prompt already.
  if (known.length === 0) return [];
  return [
    {
      code: "prompts",
      severity: "doubtful",
      what: `${formatCount(known.length)} of ${formatCount(pairs.length)} pairs have the same group name but different prompts.`,
      count: known.length,
      of: pairs.length,
      follows:
        "Either groups are merely numbered and the pairs are meaningless, or the same questions went through another template or tokenizer.",
    },
  ];
}

function maskWarnings({ differ, of }: MaskFacts): ComparisonWarning[] {
  if (differ === 0) return [];
  return [
    {
      code: "masks",
      severity: "doubtful",
      what: `${formatCount(differ)} of ${formatCount(of)} pairs of the same tokens have different response masks.`,
      count: differ,
      of,
      follows:
        "The runs train on different tokens of the same texts, so their figures cover different tokens.",
    },
  ];
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 20 ? `${text.slice(0, 20)}…` : text);
}

function range(values: readonly number[]): string {
  return values.length === 1 ? String(values[0]) : `${values[0]} to ${values.at(-1)}`;
}
