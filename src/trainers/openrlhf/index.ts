import type { Trainer } from "../shared/trainer.ts";

export const trainer: Trainer = {
  name: "openrlhf",
  title: "OpenRLHF",
  repository: "OpenRLHF/OpenRLHF",
  read: { version: "0.11.2", commit: "3c3be623", date: "2026-09-14" },
  hook: {
    distribution: "openrlhf",
    writtenFor: "0.11.2",
    place: "openrlhf/trainer/ppo_trainer.py (train_step), behind make_experience_batch(…)",
    language: "python",
    lines: ["import logratio.openrlhf; logratio.openrlhf.record(experiences, global_step, self.args)"],
    needs:
      "--algo.advantage.is_correction_level token (before 0.11.2: --algo.advantage.is_correction_enable)",
  },
  textDumps: [{ what: "OpenRLHF's table of generated samples", keys: ["text", "reward"] }],
};
