import type { Trainer } from "../shared/trainer.ts";

export const trainer: Trainer = {
  name: "nemo-gym",
  title: "NeMo-Gym",
  repository: "NVIDIA-NeMo/Gym",
  read: { commit: "07d6b0d0" },
};
