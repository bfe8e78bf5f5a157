import type { RunInfo } from "../../../../src/protocol/view.ts";
import { hrefOf } from "../../state/url.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { formatCount, formatNumber } from "../../ui/format.ts";
import { commandFor } from "./model/command.ts";
import type { SequenceModel } from "./model/sequence-model.ts";
import { OF_ONE_SEQUENCE } from "./settings.ts";

/** Which sequence this is, and its figures. */
export function SequenceHeader({
  info,
  model,
  current,
}: {
  readonly info: RunInfo;
  readonly model: SequenceModel;
  readonly current: number | undefined;
}) {
  const { meta } = model.wire;
  const { tokens, meanAbs, maxAbs, k3, worst, infinite } = model.statistics;
  const turns = model.runs.filter(({ kind }) => kind === "turn").length;
  const facts: readonly (readonly [string, string | null])[] = [
    ["step", meta.step === null ? null : formatCount(meta.step)],
    ["rank", meta.rank === null ? null : formatCount(meta.rank)],
    ["sample", meta.sample],
    ["group", meta.group],
    ["environment", meta.environment],
    ["reward", meta.reward === null ? null : formatNumber(meta.reward)],
    ["tokens", `${formatCount(tokens)} of ${formatCount(model.response)}`],
    ["turns", formatCount(turns)],
    ["mean |Δ|", formatNumber(meanAbs)],
    ["k3", formatNumber(k3)],
    ["not finite", infinite === 0 ? null : formatCount(infinite)],
  ];
  const handle = current === undefined ? meta.handle : `${meta.handle}.t${current}`;
  return (
    <header class="sequence-head">
      <div class="sequence-title">
        <h1>{meta.handle}</h1>
        {meta.correct !== null && (
          <strong class={meta.correct === 1 ? "verdict right" : "verdict wrong"}>
            {meta.correct === 1 ? "✓ right" : "✗ wrong"}
          </strong>
        )}
        <nav aria-label="Neighbouring sequences">
          <Neighbour index={meta.index - 1} of={info.sequences} title="← previous" />
          <Neighbour index={meta.index + 1} of={info.sequences} title="next →" />
        </nav>
        <span class="copies">
          <CopyButton label="Copy handle" text={() => handle} />
          <CopyButton label="Copy link" text={() => location.href} />
          <CopyButton label="Copy command" text={() => commandFor(meta)} />
        </span>
      </div>
      <dl class="facts">
        {facts
          .filter(([, value]) => value !== null)
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd title={value ?? undefined}>
                <bdi>{value}</bdi>
              </dd>
            </div>
          ))}
        <div>
          <dt>max |Δ|</dt>
          <dd>
            {worst < 0 ? formatNumber(maxAbs) : <a href={hrefOf({ token: worst })}>{formatNumber(maxAbs)}</a>}
          </dd>
        </div>
      </dl>
    </header>
  );
}

function Neighbour({
  index,
  of,
  title,
}: {
  readonly index: number;
  readonly of: number;
  readonly title: string;
}) {
  if (index < 0 || index >= of) return <span aria-disabled="true">{title}</span>;
  return <a href={hrefOf({ sequence: index, token: undefined, params: OF_ONE_SEQUENCE })}>{title}</a>;
}
