import type { Trainer } from "../shared/index.ts";
import { rollDialect } from "./config-keys.ts";
import { logged } from "./logged.ts";
import { roll } from "./preset.ts";

export const trainer: Trainer = {
  name: "roll",
  title: "ROLL",
  repository: "alibaba/ROLL",
  read: { commit: "8eb27cc2", date: "2026-08-19" },
  presets: [roll],
  dialect: rollDialect,
  logged,
  fixes: [
    {
      causes: ["moe_routing_flips"],
      line: "router_replay.mode: R3",
      note: "Set it on both actor_train and actor_infer; on one alone it has no effect.",
      keys: {
        "router_replay.mode": "docs_roll/docs/User Guides/Advanced Features/router_replay.md (8eb27cc2)",
      },
    },
  ],
};
