import { UsageError } from "../../core/base/index.ts";
import type { MetricScale } from "../../results/metrics/run-metrics.ts";
import { GROUPS, type Group, NON_FINITE } from "./vocabulary.ts";

/** How the readings of several steps are combined. */
export type Pooling = "mean" | "max" | "min" | "last";

/** A figure by name: `k3`, `per_step.k3`, `mean(logged.actor/kl)`, `|identity.unit_mean.z|`, `per_step.k3[30]`. */
export interface FigureName {
  /** As conditions and baselines write it, regardless of the spaces typed. */
  readonly text: string;
  readonly group: Group;
  /** The name within its group. */
  readonly key: string;
  /** A single step of a figure with one reading per step. */
  readonly step: number | null;
  readonly pooling: Pooling | null;
  readonly isAbsolute: boolean;
}

const POOLED = /^(mean|max|min|last)\((.*)\)$/s;
const ABSOLUTE = /^\|(.*)\|$/s;
const STEP = /^(.*)\[(-?\d+)\]$/s;

/**
 * Reads the name of a figure.
 *
 * @throws UsageError naming similar figures if no figure has that name
 */
export function parseFigureName(given: string): FigureName {
  const [, size] = ABSOLUTE.exec(given.trim()) ?? [];
  const inner = (size ?? given).trim();
  const [, pooling, pooled] = POOLED.exec(inner) ?? [];
  const named = (pooled ?? inner).trim();
  const [, before, step] = STEP.exec(named) ?? [];
  const { group, key } = findGroup((before ?? named).trim(), given);
  const isSteps = group === "per_step" || group === "logged";
  if (step !== undefined && !isSteps)
    throw new UsageError(`${given.trim()}: only figures per_step.… and logged.… have a step`);
  if (pooling !== undefined && (!isSteps || step !== undefined))
    throw new UsageError(`${given.trim()}: ${pooling}() is over steps`, {
      hint: `write ${pooling}(per_step.k3), or leave ${pooling}() out`,
    });
  const name = group === key ? key : group === "metrics" ? key : `${group}.${key}`;
  const stepped = step === undefined ? name : `${name}[${Number(step)}]`;
  const whole = pooling === undefined ? stepped : `${pooling}(${stepped})`;
  return {
    text: size === undefined ? whole : `|${whole}|`,
    group,
    key,
    step: step === undefined ? null : Number(step),
    pooling: (pooling as Pooling | undefined) ?? null,
    isAbsolute: size !== undefined,
  };
}

/**
 * The scale on which runs are compared; logged metrics use a logarithm, which a corridor abandons if a value is not
 * positive.
 */
export function findScale({ group, key, isAbsolute }: FigureName): MetricScale {
  if (group === "logged") return "log";
  if (group === "verdict" || group === "non_finite_tokens" || group === "non_finite_metrics") return "root";
  const scale = GROUPS[group][key]!;
  return isAbsolute && scale === "linear" ? "log" : scale;
}

function findGroup(name: string, given: string): { group: Group; key: string } {
  for (const group of [...NON_FINITE, "verdict"] as const) if (name === group) return { group, key: name };
  if (name.startsWith("logged.")) {
    const text = name.slice("logged.".length);
    const key = /^".*"$/s.test(text) ? text.slice(1, -1) : text;
    if (key !== "") return { group: "logged", key };
  }
  const dot = name.indexOf(".");
  const prefix = dot < 0 ? "metrics" : name.slice(0, dot);
  const key = dot < 0 ? name : name.slice(dot + 1);
  if (Object.hasOwn(GROUPS, prefix) && Object.hasOwn(GROUPS[prefix as keyof typeof GROUPS], key))
    return { group: prefix as Group, key };
  throw new UsageError(`there is no figure "${given.trim()}"`, { hint: suggest(prefix, key) });
}

function suggest(prefix: string, key: string): string {
  const group = Object.hasOwn(GROUPS, prefix) ? (prefix as keyof typeof GROUPS) : undefined;
  const all =
    group === undefined
      ? [
          ...Object.keys(GROUPS.metrics),
          ...(["per_step", "identity", "trust", "excluded"] as const).flatMap((name) =>
            Object.keys(GROUPS[name]).map((one) => `${name}.${one}`),
          ),
        ]
      : Object.keys(GROUPS[group]).map((one) => (group === "metrics" ? one : `${group}.${one}`));
  const stem = key.replaceAll(/[^a-z0-9]/gi, "").toLowerCase();
  const near = all.filter((one) => stem.length > 1 && one.replaceAll(/[^a-z0-9]/g, "").includes(stem));
  const shown = (near.length > 0 ? near : all).slice(0, 8).join(", ");
  return `figures are those of report --json: ${shown}${near.length > 0 ? "" : ", …"}; logged metrics are logged.NAME`;
}
