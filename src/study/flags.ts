/**
 * The flags of `score` and `kl`, and of checkpoints for `doctor`, each declared once. The help of the command line, the types of options, and what is
 * read of them into a config (`scoring/config`) follow from here. Only data: `--help` loads this file.
 *
 * @module
 */

/** A flag. Its option is the key under which a table has it: `topK` is `--top-k`. */
export interface StudyFlag {
  /** `texts` and `named` (`name=value`) may be given several times; a `count` is a whole number from 1. */
  readonly as: keyof FlagValues;
  /** What help shows in place of the value, `<n>`; absent of switches. */
  readonly takes?: `<${string}>`;
  readonly meaning: string;
  /** The key of a config that it sets, `backend.dtype`; absent if more than the value decides what becomes of it. */
  readonly key?: string;
}

/** What the command line or a program gives: numbers also as text. */
interface FlagValues {
  readonly switch: boolean;
  readonly text: string;
  readonly texts: string | readonly string[];
  readonly named: string | readonly string[];
  readonly count: number | string;
  readonly number: number | string;
}

/** By option, in the order of help. */
export type FlagTable = Readonly<Record<string, StudyFlag>>;

/** The options that the flags of a table set. */
export type FlagOptions<Table extends FlagTable> = {
  readonly [Name in keyof Table]?: FlagValues[Table[Name]["as"]];
};

/** `topK` → `--top-k` */
export function flagOf(option: string): string {
  return `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Which texts, which policies, and what to compute. */
const TEXT_FLAGS = {
  responses: {
    as: "texts",
    takes: "<[source=]file>",
    meaning: "responses to the problems, and the policy that wrote them; repeatable",
  },
  useDpoResponses: {
    as: "switch",
    meaning:
      "take responses from dpo_responses.json next to the problems; with a config alone, both from data/filtered/",
  },
  policy: {
    as: "texts",
    takes: "<name=at>",
    meaning:
      "a policy: name=hf:DIR, name=onnx:DIR, name=vllm:URL#model, name=sglang:URL, name=openai:URL#model, name=logits:FILE; " +
      "'hf:DIR/*' and 'onnx:DIR/*' are every model in DIR, hf:DIR@500 is a revision; repeatable",
    key: "policies",
  },
  reference: {
    as: "text",
    takes: "<name>",
    meaning: "the policy that the others are compared with",
    key: "reference",
  },
  baseline: {
    as: "texts",
    takes: "<name>",
    meaning: "a policy that is not a checkpoint of the run; repeatable",
    key: "baselines",
  },
  pair: {
    as: "texts",
    takes: "<p:q>",
    meaning: "also compute D(p‖q) for this pair; repeatable",
    key: "pairs",
  },
  out: {
    as: "text",
    takes: "<dir>",
    meaning: "study directory (default NAME.study); texts already scored there are skipped",
    key: "out",
  },
  tokenizer: {
    as: "text",
    takes: "<dir>",
    meaning: "directory with tokenizer.json (default: the reference's)",
    key: "tokenizer",
  },
  promptTemplate: {
    as: "text",
    takes: "<text>",
    meaning: 'text around a problem: "{problem}" (default), or rl-probe for that study\'s',
    key: "prompt_template",
  },
  appendEos: { as: "switch", meaning: "end each response with the end-of-text token", key: "append_eos" },
  column: {
    as: "named",
    takes: "<ours=theirs>",
    meaning: "name of a column in the text file: prompt=question; repeatable",
    key: "columns",
  },
  limit: {
    as: "count",
    takes: "<n>",
    meaning: "score only the first n texts, and of other authors those of the same problems",
    key: "limit",
  },
  onlyWrong: { as: "switch", meaning: "score only texts that are known to be wrong", key: "only_wrong" },
  onlyOutcomes: {
    as: "text",
    takes: "<name=outcome,...>",
    meaning:
      "score only texts to problems that policies solve or not: dpo=wrong,rlvr=right, as --outcomes tells, " +
      "else their own responses among the texts",
  },
  checkpoint: {
    as: "texts",
    takes: "<name>",
    meaning: "score and report only this policy, and the reference; repeatable",
    key: "checkpoints",
  },
  topK: {
    as: "count",
    takes: "<n>",
    meaning: "alternatives to keep per token and policy, and to request from servers (default 5)",
    key: "top_k",
  },
  attention: {
    as: "switch",
    meaning: "with hf: and onnx: models, also measure the attention to the first error of wrong texts",
    key: "attention",
  },
  gradients: {
    as: "switch",
    meaning: "with hf: models, also compute what the KL at the largest spikes depends on",
    key: "gradients",
  },
  continue: {
    as: "texts",
    takes: "<place>",
    meaning:
      "let every policy continue wrong texts, and grade its answers: start, before_error, after_error " +
      "or a share such as 0.5 of the response; repeatable",
    key: "continue.at",
  },
  continueSamples: {
    as: "count",
    takes: "<n>",
    meaning: "samples from each place of a text (default 4)",
    key: "continue.n",
  },
} as const satisfies FlagTable;

/** How back ends run. */
const BACKEND_FLAGS = {
  fullVocabulary: {
    as: "switch",
    meaning: "request log-probs over the whole vocabulary from servers: exact, but large",
    key: "backend.full_vocabulary",
  },
  vocabularySize: {
    as: "count",
    takes: "<n>",
    meaning: "vocabulary size of a server's model, if the server does not report it",
    key: "backend.vocabulary_size",
  },
  python: {
    as: "text",
    takes: "<path>",
    meaning: "Python for hf: models (default: LOGRATIO_PYTHON, else python3)",
    key: "backend.python",
  },
  gpu: {
    as: "text",
    takes: "<n>",
    meaning: "GPU for hf: models: 0 or cuda:0, several as 0,1, none or cpu for the CPU (default: the first)",
  },
  dtype: {
    as: "text",
    takes: "<name>",
    meaning: "auto, float32, bfloat16 or float16 for hf: models (default: auto; float32 on the CPU)",
    key: "backend.dtype",
  },
  deviceMap: {
    as: "text",
    takes: "<name>",
    meaning: "spread each hf: model over the GPUs: auto, balanced or sequential",
    key: "backend.device_map",
  },
  batchTokens: {
    as: "count",
    takes: "<n>",
    meaning: "tokens in a batch for hf: models (default 16384)",
    key: "backend.batch_tokens",
  },
  threads: {
    as: "count",
    takes: "<n>",
    meaning: "threads for local models and their logits (default: one per processor)",
    key: "backend.threads",
  },
  memory: {
    as: "count",
    takes: "<mib>",
    meaning: "memory for a block of logits in MiB (default 16; 32 for two blocks of saved logits)",
    key: "backend.memory_mib",
  },
  cache: {
    as: "number",
    takes: "<mib>",
    meaning: "memory for the reference's logits in MiB, so that it runs only once (default 1024)",
    key: "backend.cache_mib",
  },
  concurrency: {
    as: "count",
    takes: "<n>",
    meaning: "concurrent requests to a server (default 8)",
    key: "backend.concurrency",
  },
  timeout: {
    as: "number",
    takes: "<seconds>",
    meaning: "request timeout in seconds",
    key: "backend.timeout_s",
  },
  retries: {
    as: "number",
    takes: "<n>",
    meaning: "retries after a transient failure",
    key: "backend.retries",
  },
} as const satisfies FlagTable;

/** Checkpoints that a run may have used, for `doctor`, which has a `--memory` and `--batch-tokens` of its own. */
const { python, gpu, dtype, deviceMap, threads, concurrency, timeout, retries } = BACKEND_FLAGS;
export const CHECKPOINT_FLAGS = {
  checkpoints: {
    as: "texts",
    takes: "<name=at>",
    meaning:
      "which of these did the engine use, which the trainer? as --policy of score: name=hf:DIR, name=onnx:DIR, " +
      "'onnx:DIR/*', name=vllm:URL#model, …; repeatable",
  },
  checkpointTokens: {
    as: "count",
    takes: "<n>",
    meaning: "response tokens to score under each of --checkpoints, in whole prompts (default 10000)",
  },
  ...{ python, gpu, dtype, deviceMap, threads, concurrency, timeout, retries },
} as const satisfies FlagTable;

const SAMPLING_FLAGS = {
  generate: {
    as: "count",
    takes: "<n>",
    meaning: "sample n responses to each problem first",
    key: "generate.n",
  },
  generateFrom: {
    as: "text",
    takes: "<name>",
    meaning: "policy to sample from (default: the reference)",
    key: "generate.from",
  },
  temperature: {
    as: "text",
    takes: "<t>",
    meaning:
      "sampling temperature for --generate and --continue (default 1; 0 is greedy); several for --generate: 0.3,0.7",
  },
  topP: { as: "number", takes: "<p>", meaning: "nucleus sampling for --generate and --continue (default 1)" },
  maxTokens: {
    as: "count",
    takes: "<n>",
    meaning: "most tokens that --generate and --continue sample (default 1024)",
  },
  seed: {
    as: "number",
    takes: "<n>",
    meaning: "random seed for sampling and the bootstrap (default 42)",
    key: "seed",
  },
} as const satisfies FlagTable;

/** How texts are scored. */
export const SCORING_FLAGS = { ...TEXT_FLAGS, ...BACKEND_FLAGS, ...SAMPLING_FLAGS };

/** How the tokens of scored texts are judged; in this order in the settings of a part. */
export const JUDGING_FLAGS = {
  outcomes: {
    as: "named",
    takes: "<[name=]file>",
    meaning: "file saying which problems a policy itself solves; repeatable",
  },
  spikes: {
    as: "text",
    takes: "<method>",
    meaning:
      "spike detection: zscore (default), percentile or adaptive; with all (all, or adaptive,all), kl also lists " +
      "every spike of every text and checkpoint",
    key: "spikes.method",
  },
  spikeThreshold: {
    as: "number",
    takes: "<z>",
    meaning: "standard deviations above the mean that make a spike (default 2)",
    key: "spikes.threshold",
  },
  spikeDistance: {
    as: "number",
    takes: "<n>",
    meaning: "minimum distance between spikes in tokens (default 3)",
    key: "spikes.min_distance",
  },
  spikePercentile: {
    as: "number",
    takes: "<p>",
    meaning: "percentile for --spikes percentile (default 95)",
    key: "spikes.percentile",
  },
  parity: {
    as: "text",
    takes: "<name>",
    meaning: "also compute with rl-probe's alignment and counts, and show the difference",
    key: "parity",
  },
  floor: {
    as: "number",
    takes: "<logprob>",
    meaning: "lower bound on any token's log-prob; makes the bounds from top-k lists finite",
    key: "floor",
  },
} as const satisfies FlagTable;

/** What only `kl` is told, of the report. */
export const REPORT_FLAGS = {
  stage: {
    as: "named",
    takes: "<name=from..to>",
    meaning: "a named stage of training, as a range of steps; repeatable",
  },
  alpha: {
    as: "number",
    takes: "<level>",
    meaning: "significance level after correction for multiple tests (default 0.05)",
    key: "alpha",
  },
  bootstrap: {
    as: "count",
    takes: "<n>",
    meaning: "bootstrap replicates for intervals (default 2000)",
    key: "bootstrap",
  },
  cases: { as: "number", takes: "<n>", meaning: "number of case studies (default 6)", key: "cases" },
} as const satisfies FlagTable;

/** How `kl` draws figures. */
export const FIGURE_FLAGS = {
  figureFormat: {
    as: "texts",
    takes: "<name>",
    meaning: "svg (default), png or pdf for --figures; repeatable",
    key: "figures.formats",
  },
  figureDpi: {
    as: "number",
    takes: "<n>",
    meaning: "pixels per inch of figures as PNG (default 300)",
    key: "figures.dpi",
  },
} as const satisfies FlagTable;

export interface ScoringFlags extends FlagOptions<typeof SCORING_FLAGS> {}
export interface CheckpointFlags extends FlagOptions<typeof CHECKPOINT_FLAGS> {}
export interface JudgingFlags extends FlagOptions<typeof JUDGING_FLAGS> {}
export interface ReportFlags extends FlagOptions<typeof REPORT_FLAGS & typeof FIGURE_FLAGS> {}

export const JUDGING_OPTIONS = Object.keys(JUDGING_FLAGS) as (keyof JudgingFlags)[];
