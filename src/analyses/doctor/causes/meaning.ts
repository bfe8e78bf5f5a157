import { advise, anyTrainer, type CauseText, FROM_TRAINERS, forEngine } from "./cause.ts";

// vLLM's logprobs_mode: docs.vllm.ai, engine arguments. verl: rollout.logprobs_mode defaults to processed_logprobs
// (verl/workers/config/rollout.py). Threads: trl#4163, vime#69, prime-rl#697.
const PROCESSED = forEngine(
  "vllm",
  "--logprobs-mode processed_logprobs",
  "vLLM then reports log-probs after temperature, penalties and filters; its default, raw_logprobs, reports them before.",
);
const NO_FILTER = anyTrainer(
  "top_p = 1, top_k = -1, min_p = 0",
  "Without filters, the engine samples from the distribution that the trainer scores. With filters, correct with the kept mass or the sampling mask.",
);

export const MEANING: readonly CauseText[] = [
  {
    id: "temperature_mismatch",
    family: "meaning",
    title: "Different temperatures",
    description:
      "One side divides its logits by the sampling temperature before the softmax; the other uses a different temperature or none.",
    fix: [
      FROM_TRAINERS,
      PROCESSED,
      forEngine(
        "sglang",
        "temperature = 1 for prefill scores",
        "SGLang's input log-probs always use temperature 1.",
      ),
      anyTrainer(
        "logits = logits / temperature",
        "Scale the trainer's logits, not its log-probs: divided log-probs are no longer normalized.",
      ),
    ],
  },
  {
    id: "log_base",
    family: "meaning",
    title: "Logarithms in a different base",
    description: "One side's log-probs are in base 2 or 10, the other's in nats.",
    fix: [
      anyTrainer(
        "logprobs = logprobs * math.log(base)",
        "Write log-probs as natural logarithms (torch.log, log_softmax).",
      ),
    ],
  },
  {
    id: "probabilities_not_logs",
    family: "meaning",
    title: "Probabilities instead of log-probs",
    description: "One column holds probabilities, not their logarithms.",
    fix: [
      anyTrainer(
        "column = torch.log(column)",
        "Write logarithms. Better, use the engine's log-probs: probabilities near 1 have lost precision.",
      ),
    ],
  },
  {
    id: "truncation_renormalised",
    family: "meaning",
    title: "Filtered and renormalized on one side",
    description:
      "The engine reports log-probs after top-p, top-k or min-p, renormalized over the tokens that they keep; the trainer's cover the whole vocabulary.",
    fix: [
      NO_FILTER,
      forEngine(
        "vllm",
        "--logprobs-mode raw_logprobs",
        "Reports log-probs before filters. The samples are still filtered, so the ratios must correct for it.",
      ),
      FROM_TRAINERS,
    ],
  },
  {
    id: "truncation_unlogged",
    family: "meaning",
    title: "Filtered sampling, visible in neither column",
    description:
      "Tokens were sampled with top-p, top-k or min-p, but both columns describe the unfiltered distribution.",
    fix: [NO_FILTER, PROCESSED],
  },
  {
    id: "penalty_mismatch",
    family: "meaning",
    title: "Penalty on one side",
    description:
      "The engine's log-probs include a repetition, presence or frequency penalty; the trainer's do not.",
    fix: [
      anyTrainer(
        "repetition_penalty = 1, presence_penalty = 0, frequency_penalty = 0",
        "Set them in the sampling parameters: by default, engines take them from the model's generation_config.json.",
      ),
      forEngine(
        "vllm",
        "--generation-config vllm",
        "Ignores the defaults of the model's generation_config.json.",
      ),
    ],
  },
  {
    id: "greedy_zero_logprobs",
    family: "meaning",
    title: "Greedy decoding",
    description: "Tokens were decoded at temperature 0, and the engine reports a log-prob of 0 for each.",
    fix: [
      anyTrainer(
        "temperature = 1.0",
        "Sample the training rollouts; use greedy decoding for evaluation only.",
      ),
      FROM_TRAINERS,
    ],
  },
  {
    id: "softcap_mismatch",
    family: "meaning",
    title: "Logit soft-cap on one side",
    description:
      "One side applies cap·tanh(logit / cap) to its logits (as Gemma 2 does) and the other does not.",
    fix: [
      advise(
        "load the same final_logit_softcapping on both sides",
        "It is in the model's config.json; fused losses and converted checkpoints may drop it.",
      ),
    ],
  },
  {
    id: "other_statistic",
    family: "meaning",
    title: "A column that is not about the sampled token",
    description:
      "One column holds the entropy, or the log-prob of the likeliest token, instead of the sampled token's log-prob.",
    // trl#3867: the first of the returned alternatives was taken, which need not be the sampled token.
    fix: [
      anyTrainer(
        "logprob = output.logprobs[token_id].logprob",
        "Look the sampled token up by its id: engines list alternatives by rank, and the sampled one may come after them.",
      ),
    ],
  },
  {
    id: "vocab_padding_in_softmax",
    family: "meaning",
    title: "Padding columns in the softmax",
    description: "One side's softmax includes the columns that pad the vocabulary.",
    // Megatron-Bridge#2602, RL-Kernel#259.
    fix: [
      anyTrainer(
        "logits = logits[..., :vocab_size]",
        "Remove the padded columns or mask them with −inf before log_softmax; with tensor parallelism, on the last shard.",
      ),
    ],
  },
];
