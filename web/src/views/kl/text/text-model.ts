/**
 * One text under every checkpoint, as the page draws it.
 *
 * @module
 */

import { HEAT_LEVELS, heatLevel } from "../../../../../src/render/charts/index.ts";
import type { StudySpike, WireStudyText } from "../../../../../src/results/wire/study-text.ts";
import type { HeatText } from "../../../../../src/study/render/index.ts";
import type { SpikeFigures } from "../../../../../src/study/results/texts.ts";
import type { Row } from "../../../ui/export.ts";

export interface TextModel {
  readonly wire: WireStudyText;
  /** Response tokens. */
  readonly tokens: number;
  /** Where the color scale ends, the same for every text of the study. */
  readonly scale: number;
  /** `[checkpoints]`: spikes by response token. */
  readonly spikes: readonly ReadonlyMap<number, StudySpike>[];
}

export function textModel(wire: WireStudyText, scale: number): TextModel {
  return {
    wire,
    tokens: wire.mask.length,
    scale,
    spikes: wire.meta.spikes.map((own) => new Map(own.map((spike) => [spike.position, spike]))),
  };
}

export type ValueName = "kl" | "delta" | "entropy";

/** NaN where unknown. */
export function valueAt(
  { wire, tokens }: TextModel,
  name: ValueName,
  checkpoint: number,
  token: number,
): number {
  return wire[name][checkpoint * tokens + token] ?? Number.NaN;
}

/** The forced token's probability under a checkpoint; NaN where unknown. */
export function probabilityAt(model: TextModel, checkpoint: number, token: number): number {
  return Math.exp(
    (model.wire.referenceLogprob[token] ?? Number.NaN) + valueAt(model, "delta", checkpoint, token),
  );
}

/** The meaning of a token's color at a checkpoint. */
export type Shade =
  | { readonly kind: "tool" | "unknown" }
  | { readonly kind: "level"; readonly level: number };

export function shadeAt(model: TextModel, checkpoint: number, token: number): Shade {
  if (model.wire.mask[token] === 0) return { kind: "tool" };
  const kl = valueAt(model, "kl", checkpoint, token);
  if (Number.isNaN(kl)) return { kind: "unknown" };
  return {
    kind: "level",
    level: kl === Number.POSITIVE_INFINITY ? HEAT_LEVELS - 1 : heatLevel(kl, model.scale),
  };
}

/** The classes of a token, including that of a spike of this checkpoint. */
export function classesAt(model: TextModel, checkpoint: number, token: number): string {
  const shade = shadeAt(model, checkpoint, token);
  const name = shade.kind === "level" ? `k${shade.level}` : shade.kind === "tool" ? "tool-output" : "unknown";
  const spike = model.spikes[checkpoint]?.has(token) ? " spike" : "";
  return name + spike;
}

/** Classes of the first error: one for its tokens, another for the token that is wrong. */
export function errorClasses(model: TextModel, token: number): string {
  if (!isError(model, token)) return "";
  return token === model.wire.meta.error?.token ? " error wrong" : " error";
}

/** Whether a token belongs to the first error: from the token that announces it to the first wrong one. */
export function isError({ wire: { meta } }: TextModel, token: number): boolean {
  return meta.error !== null && token >= meta.error.from && token <= meta.error.token;
}

/** The input for breaking the text into lines; spikes are those of one checkpoint. */
export function heatText({ wire, tokens }: TextModel, checkpoint: number): HeatText {
  const { meta, mask, kl } = wire;
  return {
    tokens: meta.tokens,
    mask: [...mask],
    kl: meta.checkpoints.map((_, row) =>
      Array.from(kl.subarray(row * tokens, (row + 1) * tokens), (value) =>
        Number.isFinite(value) ? value : null,
      ),
    ),
    spikes: meta.spikes[checkpoint] ?? [],
    error_token: meta.error?.token ?? null,
  };
}

/** The next spike of a checkpoint after or before a token; without a token, the first or last. */
export function nextSpike(
  { wire: { meta } }: TextModel,
  checkpoint: number,
  token: number | undefined,
  way: 1 | -1,
): number | undefined {
  const positions = (meta.spikes[checkpoint] ?? []).map(({ position }) => position);
  if (token === undefined) return way === 1 ? positions[0] : positions.at(-1);
  return way === 1
    ? positions.find((position) => position > token)
    : positions.findLast((position) => position < token);
}

/**
 * The first of some checkpoints (of the training run, in order) from which on a token keeps at least half of the KL
 * that it has at the last of them; null if it has none there.
 */
export function sinceWhen(model: TextModel, token: number, trained: readonly number[]): number | null {
  const known = trained.filter((checkpoint) => !Number.isNaN(valueAt(model, "kl", checkpoint, token)));
  const last = known.at(-1);
  if (last === undefined || !(valueAt(model, "kl", last, token) > 0)) return null;
  const half = valueAt(model, "kl", last, token) / 2;
  let from = known.length - 1;
  while (from > 0 && valueAt(model, "kl", known[from - 1]!, token) >= half) from--;
  return known[from]!;
}

/** A spike in the form that the report's tables take. */
export function forcedToken(
  { wire: { meta } }: TextModel,
  spike: StudySpike,
): Pick<
  SpikeFigures,
  "token" | "probability" | "reference_probability" | "alternatives" | "reference_alternatives"
> {
  const { probability, reference_probability, alternatives, reference_alternatives } = spike;
  return {
    token: meta.tokens[spike.position] ?? "",
    probability,
    reference_probability,
    alternatives,
    reference_alternatives,
  };
}

/** Every token with every value, for export. */
export function tokenRows(model: TextModel): Row[] {
  const { meta, ids, mask, categories, referenceLogprob, referenceEntropy } = model.wire;
  return meta.tokens.map((text, token) => ({
    token,
    text,
    id: ids[token],
    category: meta.categories[categories[token] ?? -1] ?? null,
    mask: mask[token],
    first_error: isError(model, token),
    reference_logprob: known(referenceLogprob[token]),
    reference_entropy: known(referenceEntropy[token]),
    ...Object.fromEntries(
      meta.checkpoints.flatMap((name, at) => [
        [`kl ${name}`, known(valueAt(model, "kl", at, token))],
        [`delta ${name}`, known(valueAt(model, "delta", at, token))],
        [`entropy ${name}`, known(valueAt(model, "entropy", at, token))],
        [`spike ${name}`, model.spikes[at]?.has(token) ?? false],
      ]),
    ),
  }));
}

function known(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : value;
}
