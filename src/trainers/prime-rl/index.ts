import type { Trainer } from "../shared/index.ts";
import { primeRlDialect } from "./config-keys.ts";
import { logged } from "./logged.ts";
import { primeRl, primeRlIpo } from "./preset.ts";

export const trainer: Trainer = {
  name: "prime-rl",
  title: "prime-rl",
  repository: "PrimeIntellect-ai/prime-rl",
  read: { commit: "559b4477", date: "2026-08-21" },
  presets: [primeRl, primeRlIpo],
  dialect: primeRlDialect,
  logged,
};
