export interface GlossaryEntry {
  /** Terms that share one meaning, as written in headings. */
  readonly terms: readonly string[];
  /** A phrase in one sentence, without a full stop. */
  readonly meaning: string;
}

/**
 * The rows of `docs/style.md`'s glossary that readers of figures meet, in the same words: a test keeps the two equal.
 */
export const GLOSSARY: readonly GlossaryEntry[] = [
  entry(
    "rollout, trainer",
    "the two sides: the policy as the inference engine sampled from it, and as the trainer computes it",
  ),
  entry("policy", "anything that gives log-probs: a side of a run, or a checkpoint"),
  entry("Δ", "log p_trainer − log p_rollout of the sampled token, in nats"),
  entry("ρ", "exp Δ, the importance ratio"),
  entry("Δp", "p_trainer − p_rollout of the sampled token"),
  entry(
    "nats",
    "the unit of natural logarithms: 0.7 nats is a factor of 2 in probability, 2.3 a factor of 10",
  ),
  entry("k1, k2, k3", "per-token estimators of KL(rollout ‖ trainer): −Δ, Δ²/2, exp Δ − 1 − Δ"),
  entry(
    "KL",
    "Kullback–Leibler divergence of two policies' distributions over the next token, in nats; 0 where they are equal",
  ),
  entry(
    "ESS, effective sample size",
    "effective sample size as a share: (Σw)² / (n Σw²), 1 where all weights are equal",
  ),
  entry("k̂", "the tail index of the ratios (Pareto fit): above 0.7, a few tokens decide their mean and ESS"),
  entry("entropy", "how undecided a policy is about the next token, in nats; 0 where it is certain"),
  entry(
    "advantage",
    "how much better a response did than expected: the token's weight in the policy gradient",
  ),
  entry(
    "A·(ρ − 1)",
    "advantage × (ρ − 1): what the token's weight in the policy gradient lacks without importance weights",
  ),
  entry("response mask", "1 for tokens that the policy sampled; 0 for tool output and padding"),
  entry("turn", "a contiguous run of tokens with mask 1 (verl's metric keys say round)"),
  entry("prompt group", "the sequences sampled for one prompt (a GRPO group)"),
  entry(
    "handle",
    "the name of a sequence or token everywhere: s12.r3.q41.t880 is step 12, rank 3, sequence 41, token 880",
  ),
  entry("staleness", "the training step minus the version of the weights that sampled the token"),
  entry(
    "rank-biserial",
    "how far two groups are apart: +1 or −1 where every value of one lies above all of the other, 0 where neither tends to lie higher",
  ),
  entry("checkpoint", "a policy saved during training, compared with a reference under teacher forcing"),
  entry("teacher forcing", "computing a policy's log-probs of a text that it did not sample"),
  entry("spike", "a token whose KL stands out from the rest of its text"),
  entry(
    "correction",
    "what is done about the mismatch: importance weights and rejection, written independently of any trainer",
  ),
  entry("clipped", "kept with a weight that is truncated to the correction's bound"),
  entry("vetoed", "rejected with its whole sequence because of one token whose ρ is beyond a bound"),
  entry("proxy NTL", "−mean log p of the sampled digits: how unsure the policy was of them, in nats"),
  entry("exp(avg)", "exp of the mean log p of the digits: their probability as a geometric mean"),
  entry(
    "NTL-MSE",
    "number-token loss (E − t)²: the squared distance of the expected digit E from the digit t",
  ),
  entry(
    "NTL-WAS",
    "number-token loss Σ P(d)·|d − t|: the mean distance of a digit drawn from P from the digit t",
  ),
  entry("NTL-MAE", "number-token loss |E − t|: the distance of the expected digit E from the digit t"),
  entry(
    "left out",
    "read, but used in no figure (missing log-probs, other steps, duplicates); the number is reported",
  ),
];

function entry(terms: string, meaning: string): GlossaryEntry {
  return { terms: terms.split(", "), meaning };
}
