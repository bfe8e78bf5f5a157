import { quoted } from "../../../analyses/filter/index.ts";
import type { HealthCheck, HealthLinks } from "../../../render/health/index.ts";
import type { PageMove } from "../../../results/page.ts";

/** From a check to its sequences, from a step to the sequences of the step. */
export const HEALTH_LINKS: HealthLinks = { samples: linkSamples, parts: linkParts };

function hasSamples(check: HealthCheck): boolean {
  return check.outcome !== "unknown" && (check.id !== "truncation" || check.truncated > 0);
}

function linkParts(check: HealthCheck): (PageMove | null)[] | undefined {
  if (check.id !== "flat_groups" && check.id !== "truncation") return undefined;
  return check.per_step.map(({ step, count }) => {
    if (step === null) return null;
    const params = check.id === "flat_groups" || count > 0 ? chooseSamples(check) : {};
    return { view: "sequences", params: { ...params, steps: `${step}..${step}` } };
  });
}

function linkSamples(check: HealthCheck): ReturnType<HealthLinks["samples"]> {
  // If nothing was truncated, the link would lead to everything.
  if (!hasSamples(check)) return undefined;
  const text = {
    flat_groups: "Groups by their spread in reward",
    truncation: "Truncated responses",
    staleness: "Sequences",
    reward_length: "Sequences by length",
  }[check.id];
  return { text, move: { view: "sequences", params: chooseSamples(check) } };
}

function chooseSamples(check: HealthCheck): Readonly<Record<string, string>> {
  switch (check.id) {
    case "flat_groups":
      return { layout: "groups", "group-sort": "spread" };
    case "truncation": {
      const { basis, reasons, longest } = check;
      if (basis === "longest") return { filter: `response>=${longest}` };
      return { filter: `finish=${reasons.map(quoted).join(",")}` };
    }
    case "staleness":
      return {};
    case "reward_length":
      return { sort: "-response" };
  }
}
