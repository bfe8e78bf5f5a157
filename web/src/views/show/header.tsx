import {
  formatCount,
  formatId,
  formatNumber,
  formatPlain,
} from "../../../../src/render/text/display/index.ts";
import { printable } from "../../../../src/render/text/index.ts";
import type { RunInfo } from "../../../../src/results/index.ts";
import { makeHref } from "../../state/url.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { commandFor } from "./model/command.ts";
import { neighbour, type Order } from "./model/order.ts";
import type { SequenceModel } from "./model/sequence-model.ts";
import { OF_ONE_SEQUENCE } from "./settings.ts";

/** Which sequence this is, and its figures. */
export function SequenceHeader({
  model,
  current,
  order,
  badge,
  info,
}: {
  readonly model: SequenceModel;
  readonly current: number | undefined;
  readonly order: Order | undefined;
  /** Says of a sequence of the compared run whose it is. */
  readonly badge: string | undefined;
  /** Of the run that it is in. */
  readonly info: Pick<RunInfo, "input" | "tokenizer">;
}) {
  const { meta } = model.wire;
  const { tokens, meanAbs, maxAbs, k3, worst, infinite } = model.statistics;
  const turns = model.runs.filter(({ kind }) => kind === "turn").length;
  const facts: readonly (readonly [string, string | null])[] = [
    ["step", meta.step === null ? null : formatId(meta.step)],
    ["rank", meta.rank === null ? null : formatId(meta.rank)],
    ["sample", meta.sample],
    ["group", meta.group],
    ["environment", meta.environment],
    ["reward", meta.reward === null ? null : formatPlain(meta.reward)],
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
        {badge !== undefined && <strong class="run-badge">{printable(badge)}</strong>}
        {meta.correct !== null && (
          <strong class={meta.correct === 1 ? "verdict right" : "verdict wrong"}>
            {meta.correct === 1 ? "✓ right" : "✗ wrong"}
          </strong>
        )}
        <nav aria-label="Neighbouring sequences">
          <Neighbour index={order && neighbour(order, -1)} title="← previous" />
          <a
            href={makeHref({ view: badge === undefined ? "sequences" : "compare", token: undefined })}
            title="the order of the list of sequences: its filter, its steps, its sorting"
          >
            {order === undefined
              ? "list"
              : order.at < 0
                ? `not among the ${formatCount(order.rows.length)} of the list`
                : `${formatCount(order.at + 1)} of ${formatCount(order.rows.length)} in this order`}
          </a>
          <Neighbour index={order && neighbour(order, 1)} title="next →" />
        </nav>
        <span class="copies">
          <CopyButton label="Copy handle" text={() => handle} />
          <CopyButton label="Copy link" text={() => location.href} />
          <CopyButton
            label="Copy command"
            text={() => commandFor(info.input.paths, info.input.flags, handle, info.tokenizer)}
          />
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
            {worst < 0 ? (
              formatNumber(maxAbs)
            ) : (
              <a href={makeHref({ token: worst })}>{formatNumber(maxAbs)}</a>
            )}
          </dd>
        </div>
      </dl>
    </header>
  );
}

function Neighbour({ index, title }: { readonly index: number | undefined; readonly title: string }) {
  if (index === undefined) return <span aria-disabled="true">{title}</span>;
  return <a href={makeHref({ sequence: index, token: undefined, params: OF_ONE_SEQUENCE })}>{title}</a>;
}
