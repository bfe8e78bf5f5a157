import { plural } from "../../../core/text/index.ts";
import type { BesideFinding } from "../../../results/beside.ts";
import type { StalenessCheck } from "../../../results/health.ts";
import { figure } from "./words.ts";

export function checkStalenessOfDump({
  outcome,
  value,
  mean,
  limit,
}: StalenessCheck): BesideFinding | undefined {
  if (outcome !== "beyond" || value === null || mean === null) return undefined;
  const short = `the oldest tokens are ${plural(value, "version")} old when they are trained on, ${figure(mean)} on average`;
  return {
    id: "staleness",
    run: "",
    title: "Answers are old when trained on",
    level: "warn",
    short,
    sentence: `The oldest tokens are ${plural(value, "version")} old when they are trained on, ${figure(mean)} on average: the gradient is that of another policy.`,
    since_step: null,
    outcome: "lasts",
    figures: { largest: value, mean, limit },
    read_from: ["dump"],
    do_this:
      "lower what the trainer allows (AReaL: max_head_offpolicyness; prime-rl: max_async_level), or drop older answers",
    source: "AReaL, guide to asynchronous training: max_head_offpolicyness 4",
  };
}
