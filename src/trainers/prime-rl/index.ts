import type { Trainer } from "../shared/trainer.ts";

export const trainer: Trainer = {
  name: "prime-rl",
  title: "prime-rl",
  repository: "PrimeIntellect-ai/prime-rl",
  read: { commit: "559b4477", date: "2026-09-18" },
  fixes: [
    {
      causes: ["stale_weights"],
      line: "orchestrator.max_off_policy_steps = 0",
      note: "Limits how old rollouts may be; asynchronous training must correct for the rest.",
      keys: {
        "orchestrator.max_off_policy_steps":
          "packages/prime-rl-configs/src/prime_rl/configs/orchestrator.py, default 8 (559b4477)",
      },
    },
    {
      causes: ["stale_prefix_cache"],
      line: "inference.vllm.enable_prefix_caching = false",
      note: "prime-rl salts the cache with the weight version at the start of a group; without the cache, no old entries can be reused.",
      keys: {
        "inference.vllm.enable_prefix_caching":
          "packages/prime-rl-configs/src/prime_rl/configs/inference.py (559b4477)",
      },
    },
    {
      causes: ["moe_routing_flips"],
      line: "trainer.enable_router_replay = true",
      note: "Also sets inference.vllm.enable_return_routed_experts.",
      keys: {
        "trainer.enable_router_replay":
          "packages/prime-rl-configs/src/prime_rl/configs/trainer.py (559b4477)",
      },
    },
  ],
  hook: {
    distribution: "prime-rl",
    writtenFor: "048a6e23",
    place: "nothing to add: it writes both itself, and logratio follows the files",
    language: "none",
    lines: ["logratio view RUN_DIR/monitors --follow"],
    needs:
      "monitors.file, on by default; before 31 August 2026 (pull request 3444): trainer.enable_token_export = true, which writes token_exports/",
  },
};
