/**
 * The specification of a study, before anything is opened: the same from a config file and from flags.
 *
 * @module
 */

import { UsageError } from "../../core/base/index.ts";
import type { Category } from "../analysis/categories/categories.ts";
import type { SpikeOptions } from "../analysis/summary.ts";
import type { PolicyRole } from "../results/names.ts";
import type { ReadTextsOptions } from "./texts/read-study-texts.ts";

export interface StudySpec {
  readonly name: string;
  /** Directory of the study: scores, results, texts. */
  readonly out: string;
  readonly texts: ReadTextsOptions;
  readonly policies: readonly PolicySpec[];
  /** Name of the policy that every other one is compared with. */
  readonly reference: string;
  /** Names of the policies to score now, besides the reference; undefined: all. Scores of the others are kept. */
  readonly only: readonly string[] | undefined;
  /** Further pairs [P, Q]: D(P‖Q). */
  readonly pairs: readonly (readonly [string, string])[];
  /** Pairs of RL-Probe's config that name a checkpoint it does not list: reported, and not compared. */
  readonly absentPairs: readonly string[];
  /** Which problems a policy itself solves: files by policy name; "" for a file that names the policies. */
  readonly outcomes: Readonly<Record<string, string>>;
  /** Number of most probable tokens stored per policy. */
  readonly topK: number;
  /** Whether to measure attention to the first errors of wrong texts as well. */
  readonly attention: boolean;
  /** Whether to compute gradients of the KL at the largest spikes as well. */
  readonly gradients: boolean;
  readonly generate: GenerateSpec | undefined;
  /** Where policies continue wrong texts freely. */
  readonly continue: ContinueSpec | undefined;
  readonly analysis: AnalysisSpec;
  readonly figures: FigureSpec;
  /** The given keys that `analysis` and `outcomes` come from. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface PolicySpec {
  readonly name: string;
  /** `hf:DIR`, `onnx:DIR`, `vllm:URL#model`, `sglang:URL`, `openai:URL#model`, `logits:FILE`. */
  readonly at: string;
  readonly role: PolicyRole;
  readonly step: number | null;
  readonly stage: string | null;
}

export const FIGURE_FORMATS = ["svg", "png", "pdf"] as const;
export type FigureFormat = (typeof FIGURE_FORMATS)[number];

/** Formats of figures, if figures are written. */
export interface FigureSpec {
  /** A file of each format. */
  readonly formats: readonly FigureFormat[];
  /** Pixels per inch of a PNG; an inch is 96 units of a figure. */
  readonly dpi: number;
}

export interface ContinueSpec {
  /** `start`, `before_error`, `after_error`, or shares of the response. */
  readonly places: readonly string[];
  /** Samples from each place. */
  readonly n: number;
  readonly temperature: number;
  readonly topP: number;
  readonly maxTokens: number;
  readonly seed: number;
}

export interface GenerateSpec {
  /** Responses per problem. */
  readonly n: number;
  /** Name of the policy that writes them. */
  readonly from: string;
  readonly temperature: number;
  /** Set if there are several: `n` responses at each of them, and `temperature` is the first. */
  readonly temperatures?: readonly number[];
  readonly topP: number;
  readonly maxTokens: number;
  readonly seed: number;
}

export interface AnalysisSpec {
  readonly spikes: SpikeOptions;
  readonly categories: readonly Category[];
  readonly rlProbe: boolean;
  readonly alpha: number;
  readonly bootstrapReplicates: number;
  readonly seed: number;
  /** Smallest log-prob (nats) that a policy gives any token; without it, bounds from top-k lists are not finite. */
  readonly floor: number | undefined;
  /** Case studies in the report. */
  readonly cases: number;
}

/** The defaults of RL-Probe's config (z-score 2.0, 3 tokens apart). */
export const DEFAULT_SPIKES: SpikeOptions = {
  method: "zscore",
  threshold: 2,
  minDistance: 3,
  percentile: 95,
};

/** Matches names of the end of a run, without a step number. */
const FINAL = /(^|[^a-z])(final|last|latest)$/i;

/** Policies' names become file names. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._+@-]*$/;

/**
 * A policy by name: its step is the number at the end of the name (`rlvr_step_300`, `global_step_40`); a name without
 * one is a baseline, unless it stands for the end of a run (`final`).
 *
 * @throws UsageError when the name cannot be a file name
 */
export function policySpec(
  name: string,
  at: string,
  reference: string | undefined,
  given: { readonly role?: PolicyRole; readonly step?: number; readonly stage?: string } = {},
): PolicySpec {
  if (!NAME.test(name)) {
    throw new UsageError(
      `"${name}" cannot name a policy, because its scores are kept in a file of that name`,
      {
        hint: "use letters, digits, . _ + @ and -",
      },
    );
  }
  const [digits] = /\d+(?=\D*$)/.exec(name) ?? [];
  const step = given.step ?? (digits === undefined ? null : Number(digits));
  const trained = step !== null || FINAL.test(name);
  const role = name === reference ? "reference" : (given.role ?? (trained ? "checkpoint" : "baseline"));
  return { name, at, role, step, stage: given.stage ?? null };
}

/** Baselines first, then checkpoints by step: the order in which they are scored and shown; the reference leads. */
export function inTrainingOrder(policies: readonly PolicySpec[]): PolicySpec[] {
  const place = ({ role }: PolicySpec): number => ["reference", "baseline", "checkpoint"].indexOf(role);
  return [...policies].sort(
    (a, b) => place(a) - place(b) || (a.step ?? 0) - (b.step ?? 0) || (a.name < b.name ? -1 : 1),
  );
}

/** Whether to score a policy now: always, unless `only` names others; the reference always. */
export function isAsked({ name, role }: PolicySpec, { only }: Pick<StudySpec, "only">): boolean {
  return only === undefined || role === "reference" || only.includes(name);
}

/** Policies that `name` is compared with, as Q. */
export function listPartners(
  name: string,
  { reference, pairs }: Pick<StudySpec, "reference" | "pairs">,
): string[] {
  const partners = new Set(pairs.filter(([p]) => p === name).map(([, q]) => q));
  if (name !== reference) partners.add(reference);
  partners.delete(name);
  return [...partners];
}
