import type { Trainer } from "../shared/index.ts";

export const trainer: Trainer = {
  name: "nemo-gym",
  title: "NeMo-Gym",
  repository: "NVIDIA-NeMo/Gym",
  read: { commit: "07d6b0d0" },
};
