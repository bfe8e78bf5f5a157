import { SchemaError } from "../../core/base/index.ts";
import {
  categoryStatistics,
  classifyToken,
  detectSpikes,
  type SpikeOptions,
  type TurningPointMethod,
  turningPoints,
} from "../../study/analysis/index.ts";
import { encodedNumber, type Fields, numbers, type Runner } from "./case.ts";

export const klStudyRunners: Readonly<Record<string, Runner>> = {
  spikes,
  token_category: (inputs) => ({ categories: texts(inputs.tokens).map((token) => classifyToken(token)) }),
  category_statistics: statistics,
  turning_points: turning,
};

/** Positions are counted from the start of the prompt, which is left out as Python's `kl[prompt_length:]` does. */
function spikes(inputs: Fields, config: Fields): Fields {
  const promptLength = Number(inputs.prompt_length ?? 0);
  const found = detectSpikes(numbers(inputs.kl).slice(promptLength), {
    method: (config.method ?? "zscore") as SpikeOptions["method"],
    threshold: Number(config.threshold ?? 2),
    minDistance: Number(config.min_spike_distance ?? 3),
    percentile: Number(config.percentile ?? 95),
  });
  return {
    positions: found.positions.map((position) => position + promptLength),
    values: found.values.map(encodedNumber),
    zscores: found.zscores.map(encodedNumber),
    regions: found.regions,
    threshold: encodedNumber(found.threshold),
    mean_kl: encodedNumber(found.meanKl),
    std_kl: encodedNumber(found.stdKl),
    spike_density: found.density ?? {},
  };
}

function statistics(inputs: Fields): Fields {
  const tokens = texts(inputs.tokens);
  const figures = categoryStatistics(tokens, numbers(inputs.kl).slice(0, tokens.length));
  return Object.fromEntries(
    Object.entries(figures).map(([category, { count, meanKl, stdKl, maxKl, minKl }]) => [
      category,
      {
        count,
        mean_kl: encodedNumber(meanKl),
        std_kl: encodedNumber(stdKl),
        max_kl: encodedNumber(maxKl),
        min_kl: encodedNumber(minKl),
      },
    ]),
  );
}

function turning(inputs: Fields, config: Fields): Fields {
  const points = turningPoints(numbers(inputs.steps), numbers(inputs.values), {
    method: (config.method ?? "derivative") as TurningPointMethod,
    ...(typeof config.min_change === "number" && { minChange: config.min_change }),
  });
  return { points: points.map(({ step, value, type }) => [step, encodedNumber(value), type]) };
}

function texts(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(String);
  throw new SchemaError("cannot run the case: a list of tokens was expected");
}
