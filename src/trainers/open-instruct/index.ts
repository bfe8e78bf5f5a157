import type { Trainer } from "../shared/trainer.ts";

export const trainer: Trainer = {
  name: "open-instruct",
  title: "open-instruct",
  repository: "allenai/open-instruct",
  read: { commit: "e6c3044a", date: "2026-08-20" },
  hook: {
    distribution: "open-instruct",
    writtenFor: "e6c3044aa",
    place: "the end of open_instruct/grpo_utils.py",
    language: "python",
    lines: [
      "import logratio.open_instruct",
      "compute_vllm_local_debug_metrics = logratio.open_instruct.wrap(compute_vllm_local_debug_metrics)",
    ],
  },
};
