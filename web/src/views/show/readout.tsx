import {
  formatCounted,
  formatNearOne,
  formatNumber,
  formatPlain,
  formatSigned,
} from "../../../../src/render/text/display/index.ts";
import { navigate } from "../../state/url.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import type { Choices } from "./choices.ts";
import type { Fates } from "./model/fate.ts";
import { deltaAt } from "./model/metrics.ts";
import { describeNumber, type Numbers } from "./model/numbers.ts";
import type { SequenceModel } from "./model/sequence-model.ts";
import { computeStatistics } from "./model/statistics.ts";

/** The current token and the chosen range in words; read out as they change. */
export function Readout({
  model,
  choices,
  numbers,
  fates,
}: {
  readonly model: SequenceModel;
  readonly choices: Choices;
  readonly numbers: Numbers;
  readonly fates: Fates;
}) {
  const { place, current, range } = choices;
  return (
    <div class="readout">
      <p role="status" aria-live="polite">
        {place !== undefined && current === undefined ? (
          <bdi>
            prompt token {place} {model.nameOf(place, 24)} · not trained
          </bdi>
        ) : current === undefined ? (
          <span class="hint">
            Hover over or click a token; ← → go token by token, . and , to the next |Δ| ≥{" "}
            {formatPlain(choices.near)}
          </span>
        ) : (
          <bdi>{describeToken(model, choices, numbers, current, fates)}</bdi>
        )}
      </p>
      {range !== undefined && (
        <p class="range">
          {describeRange(model, range.from, range.to)}{" "}
          <CopyButton label="copy link" text={() => location.href} />{" "}
          <button type="button" onClick={() => navigate({ params: { range: undefined } })}>
            clear
          </button>
        </p>
      )}
    </div>
  );
}

function describeToken(
  model: SequenceModel,
  { metric, numbers: showsNumbers }: Choices,
  numbers: Numbers,
  token: number,
  fates: Fates,
): string {
  const { wire, prompt } = model;
  const text = `t${token} ${model.nameOf(token + prompt, 24)}`;
  const part = showsNumbers ? numbers.at(token + prompt) : undefined;
  const inNumber = part === undefined ? [] : [describeNumber(part)];
  if (wire.mask[token] === 0) return [text, ...inNumber, "tool output, not trained"].join(" · ");
  const delta = deltaAt(token, wire);
  const value = metric.values(wire)[token]!;
  return [
    text,
    ...inNumber,
    `turn ${model.runs.find(({ from, to }) => token + prompt >= from && token + prompt < to)?.turn}`,
    `Δ ${formatSigned(delta)}`,
    `ρ ${formatNearOne(Math.exp(delta))}`,
    `log p rollout ${formatNumber(wire.rollout[token])}`,
    `trainer ${formatNumber(wire.trainer[token])}`,
    ...(["delta", "rho", "rollout", "trainer"].includes(metric.name)
      ? []
      : [`${metric.title} ${metric.show(value)}`]),
    fates.describe(token),
  ].join(" · ");
}

function describeRange(model: SequenceModel, from: number, to: number): string {
  const { tokens, meanAbs, maxAbs, k3 } = computeStatistics(model.deltas, model.wire.mask, from, to + 1);
  return [
    `range t${from} – t${to}`,
    `${formatCounted(tokens, "token")} trained`,
    `mean |Δ| ${formatNumber(meanAbs)}`,
    `max |Δ| ${formatNumber(maxAbs)}`,
    `k3 ${formatNumber(k3)}`,
  ].join(" · ");
}
