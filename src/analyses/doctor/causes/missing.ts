import { advise, type CauseText } from "./cause.ts";

export const MISSING: readonly CauseText[] = [
  {
    id: "sentinel_fill",
    family: "missing",
    title: "Placeholder for missing log-probs",
    description:
      "Where the engine or the trainer gave no log-prob, the column contains a number such as 0, 1, −1 or −9999.",
    fix: [
      advise(
        "write NaN, and mask 0, where there is no log-prob",
        "Placeholders reach the gradient as ratios: 0 reads as certainty, −9999 as a ratio of e^9999.",
      ),
    ],
  },
  {
    id: "nan_logprobs",
    family: "missing",
    title: "Log-probs are NaN or null",
    description: "Some log-probs are not finite; the others are correct.",
    // trl#6297, prime-rl#1329, vllm.
    fix: [
      advise(
        "exclude non-finite log-probs from the loss and count them",
        "Find where they come from: null in replies, −inf after filters, 0·inf in entropies.",
      ),
    ],
  },
  {
    id: "clamped_logprobs",
    family: "missing",
    title: "Log-probs clamped from below",
    description: "One side has no values below a limit.",
    fix: [
      advise(
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
      "Both columns contain the same numbers because one was filled from the other, so Δ is 0 whatever the policies do.",
    // slime#179, trl#4857.
    fix: [
      advise(
        "write the engine's own log-probs",
        "Perturb one side's weights by 1e-3: if Δ stays at 0, the column is a copy.",
      ),
    ],
  },
];
