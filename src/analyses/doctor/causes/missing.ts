import { anyTrainer, type Cause } from "./cause.ts";

export const MISSING: readonly Cause[] = [
  {
    id: "sentinel_fill",
    family: "missing",
    title: "Placeholder where a log-prob is missing",
    description:
      "A number such as 0, 1, −1 or −9999 stands where the engine or the trainer gave no log-prob.",
    fix: [
      anyTrainer(
        "write NaN, and mask 0, where there is no log-prob",
        "Ratios of placeholders are gradients: 0 means certainty, −9999 a ratio of e^9999.",
      ),
    ],
  },
  {
    id: "nan_logprobs",
    family: "missing",
    title: "Log-probs NaN or null",
    description: "Some log-probs are not finite, while the others are sound.",
    // trl#6297, prime-rl#1329, vllm.
    fix: [
      anyTrainer(
        "exclude non-finite log-probs from the loss and count them",
        "Find where they come from: null in replies, −inf after filters, 0·inf in entropies.",
      ),
    ],
  },
  {
    id: "clamped_logprobs",
    family: "missing",
    title: "Log-probs clamped from below",
    description: "One side has no value below a limit.",
    fix: [
      anyTrainer(
        "remove clamp(min=…) from the log-probs",
        "Clamp ratios in the loss, not the log-probs that are stored.",
      ),
    ],
  },
  {
    id: "copied_column",
    family: "missing",
    title: "One column is a copy of the other",
    description:
      "Both columns hold the same numbers because one was filled with the other, so Δ is 0 whatever the policies do.",
    // slime#179, trl#4857.
    fix: [
      anyTrainer(
        "write the engine's own log-probs",
        "Perturb one side's weights by 1e-3: if Δ stays 0, the column is a copy.",
      ),
    ],
  },
];
