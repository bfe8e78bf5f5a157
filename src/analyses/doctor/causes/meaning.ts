import { anyTrainer, type Cause, forTrainer } from "./cause.ts";

// vLLM's logprobs_mode: docs.vllm.ai, engine arguments. verl: rollout.logprobs_mode defaults to processed_logprobs
// (verl/workers/config/rollout.py). Threads: trl#4163, vime#69, prime-rl#697.
const PROCESSED = forTrainer(
  "vllm",
  "--logprobs-mode processed_logprobs",
  "vLLM then reports log-probs after temperature, penalties and filters; raw_logprobs, its default, reports them before.",
);
const NO_FILTER = anyTrainer(
  "top_p = 1, top_k = -1, min_p = 0",
  "Sample without filters: then the engine's distribution is the trainer's. With filters, correct with the kept mass or the sampling mask.",
);

export const MEANING: readonly Cause[] = [
  {
    id: "temperature_mismatch",
    family: "meaning",
    title: "Different temperatures",
    description:
      "One side scales its logits by the sampling temperature before the softmax, the other by another one or not at all.",
    fix: [
      forTrainer(
        "verl",
        "actor_rollout_ref.rollout.logprobs_mode=processed_logprobs",
        "The actor divides its logits by rollout.temperature already; the engine has to report processed log-probs.",
      ),
      PROCESSED,
      forTrainer(
        "sglang",
        "temperature = 1 for prefill scores",
        "SGLang's input log-probs are always those of temperature 1.",
      ),
      anyTrainer(
        "logits = logits / temperature",
        "Scale the trainer's logits, not its log-probs: dividing log-probs leaves them without a normalization.",
      ),
    ],
  },
  {
    id: "log_base",
    family: "meaning",
    title: "Logarithms in another base",
    description: "One side's log-probs are in base 2 or 10, the other's in nats.",
    fix: [
      anyTrainer(
        "logprobs = logprobs * math.log(base)",
        "Use natural logarithms (torch.log, log_softmax) when log-probs are written.",
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
        "Write the logarithm; better, take the engine's log-probs, since probabilities near 1 have lost their digits.",
      ),
    ],
  },
  {
    id: "truncation_renormalised",
    family: "meaning",
    title: "Filtered and renormalized on one side",
    description:
      "The engine reports log-probs after top-p, top-k or min-p, renormalized over what they keep; the trainer's are over the whole vocabulary.",
    fix: [
      NO_FILTER,
      forTrainer(
        "vllm",
        "--logprobs-mode raw_logprobs",
        "Reports log-probs before filters; the samples stay filtered, which ratios then have to correct.",
      ),
      forTrainer(
        "verl",
        "actor_rollout_ref.rollout.top_p=1.0 actor_rollout_ref.rollout.top_k=-1",
        "Sampling without filters.",
      ),
    ],
  },
  {
    id: "truncation_unlogged",
    family: "meaning",
    title: "Filtered sampling that no column shows",
    description:
      "Tokens were sampled with top-p, top-k or min-p, but both columns are of the unfiltered distribution.",
    fix: [NO_FILTER, PROCESSED],
  },
  {
    id: "penalty_mismatch",
    family: "meaning",
    title: "Penalty on one side",
    description:
      "A repetition, presence or frequency penalty is in the engine's log-probs and not in the trainer's.",
    fix: [
      anyTrainer(
        "repetition_penalty = 1, presence_penalty = 0, frequency_penalty = 0",
        "Set them in the sampling parameters: engines take defaults from the model's generation_config.json.",
      ),
      forTrainer(
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
        "Sample the rollouts that are trained on; keep greedy decoding for evaluation.",
      ),
      forTrainer(
        "verl",
        "actor_rollout_ref.rollout.temperature=1.0 actor_rollout_ref.rollout.do_sample=True",
        "Check that validation settings did not reach the training rollouts.",
      ),
    ],
  },
  {
    id: "softcap_mismatch",
    family: "meaning",
    title: "Logit soft-cap on one side",
    description:
      "One side applies cap·tanh(logit / cap) to its logits (as Gemma 2 does) and the other does not.",
    fix: [
      anyTrainer(
        "final_logit_softcapping",
        "Load the same value of the model's config.json on both sides; fused losses and converted checkpoints may drop it.",
      ),
    ],
  },
  {
    id: "vocab_padding_in_softmax",
    family: "meaning",
    title: "Padding columns in the softmax",
    description: "Columns that pad the vocabulary take part in one side's softmax denominator.",
    // Megatron-Bridge#2602, RL-Kernel#259.
    fix: [
      anyTrainer(
        "logits = logits[..., :vocab_size]",
        "Cut or mask (−inf) the padded columns before log_softmax; with tensor parallelism on the last shard.",
      ),
    ],
  },
];
