/**
 * The policies of a study: their names, locations and roles, and the pairs to compare.
 *
 * @module
 */
import { UsageError } from "../../../core/base/index.ts";
import { logitsPolicyNames } from "../logits/open-logits-policy.ts";
import { expandPolicies, isSavedLogits } from "../open-policy.ts";
import { type PolicySpec, policySpec } from "../study-spec.ts";
import type { ConfigFields } from "./fields.ts";

/** @throws UsageError for fewer than two policies, and for entries that are not policies */
export async function readPolicies(fields: ConfigFields): Promise<PolicySpec[]> {
  const baselines = fields.texts("baselines") ?? [];
  const stages = readStages(fields.fields("stages"));
  const found: PolicySpec[] = [];
  const add = (name: string, at: string, given: { step?: number; stage?: string } = {}): void => {
    const spec = policySpec(name, at, undefined, {
      ...given,
      ...(baselines.includes(name) && { role: "baseline" as const }),
    });
    found.push({ ...spec, stage: spec.stage ?? (spec.role === "checkpoint" ? stages(spec.step) : null) });
  };
  const named = readNamed(fields);
  if (named !== undefined) for (const { name, at, ...given } of named) add(name, at, given);
  else {
    const given = fields.texts("policies") ?? (await savedPolicies(fields.texts("texts")));
    for (const [name, at] of await expandPolicies(given)) add(name, at);
  }
  if (found.length < 2) {
    throw new UsageError(
      found.length === 0
        ? "no policies to score"
        : `${found[0]!.name} alone cannot be compared with anything`,
      {
        hint: "give at least two: --policy dpo=onnx:ckpt/dpo --policy rlvr=onnx:ckpt/rlvr, or onnx:'ckpt/*'",
      },
    );
  }
  return found;
}

interface NamedPolicy {
  readonly name: string;
  readonly at: string;
  readonly step?: number;
  readonly stage?: string;
}

/** `policies` as an object from names to locations; undefined if it is a list, or absent. */
function readNamed(fields: ConfigFields): NamedPolicy[] | undefined {
  if (typeof fields.raw("policies") !== "object" || Array.isArray(fields.raw("policies"))) return undefined;
  const map = fields.fields("policies")!;
  return map.names.map((name): NamedPolicy => {
    if (typeof map.raw(name) === "string") return { name, at: map.text(name)! };
    // `name:` without a value is null in YAML, and null counts as absent.
    const one = map.fields(name);
    if (one === undefined) throw map.wrong(name, "a location such as onnx:DIR");
    const at = one.text("at");
    if (at === undefined) throw one.wrong("at", "a location such as onnx:DIR");
    const [step, stage] = [one.count("step", 0), one.text("stage")];
    one.finish();
    return { name, at, ...(step !== undefined && { step }), ...(stage !== undefined && { stage }) };
  });
}

/** A file of saved logits provides both texts and policies. */
async function savedPolicies(files: readonly string[] = []): Promise<string[]> {
  const [file] = files;
  if (file === undefined || files.length > 1 || !isSavedLogits(file)) return [];
  return (await logitsPolicyNames(file)).map((name) => `${name}=logits:${file}#${name}`);
}

/** `early: [100, 300]`: both ends included. */
function readStages(fields: ConfigFields | undefined): (step: number | null) => string | null {
  const stages = (fields?.names ?? []).map((name) => {
    const range = fields!.list(name) ?? [];
    const [from, to = from] = range;
    if (typeof from !== "number" || typeof to !== "number" || range.length > 2)
      throw fields!.wrong(name, "a step or [first, last]");
    return { name, from, to };
  });
  return (step) => stages.find(({ from, to }) => step !== null && step >= from && step <= to)?.name ?? null;
}

export function readReference(fields: ConfigFields, policies: readonly PolicySpec[]): string {
  const names = policies.map(({ name }) => name);
  const given = fields.text("reference");
  if (given === undefined) {
    throw new UsageError("no reference policy is named", { hint: `--reference ${names.join(" | ")}` });
  }
  if (names.includes(given)) return given;
  throw new UsageError(`the reference ${given} is not one of the policies`, {
    hint: `the policies are ${names.join(", ")}`,
  });
}

export function readOnly(fields: ConfigFields, names: readonly string[]): readonly string[] | undefined {
  const only = fields.texts("checkpoints");
  const unknown = only?.find((name) => !names.includes(name));
  if (unknown === undefined) return only;
  throw new UsageError(`the checkpoint ${unknown} is not one of the policies`, {
    hint: `the policies are ${names.join(", ")}`,
  });
}

export function readPairs(fields: ConfigFields, names: readonly string[]): (readonly [string, string])[] {
  return (fields.list("pairs") ?? []).map((pair) => {
    const [p, q] =
      typeof pair === "string" ? pair.split(":") : Array.isArray(pair) ? (pair as unknown[]) : [];
    if (typeof p !== "string" || typeof q !== "string" || p === q)
      throw fields.wrong("pairs", "two policies each: [[rlvr_step_1000, rlvr_step_100]]");
    for (const name of [p, q]) {
      if (!names.includes(name)) {
        throw new UsageError(`the pair ${p}:${q} names ${name}, which is not one of the policies`, {
          hint: `the policies are ${names.join(", ")}`,
        });
      }
    }
    return [p, q] as const;
  });
}
