import {
  formatCount,
  formatId,
  formatNumber,
  formatPlain,
} from "../../../../src/render/text/display/index.ts";
import { printable } from "../../../../src/render/text/index.ts";
import { RUN_METRICS } from "../../../../src/results/metrics/run-metrics.ts";
import type { RunInfo } from "../../../../src/results/view.ts";
import { makeHref } from "../../state/url.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Explained } from "../../ui/explained.tsx";
import { StarButton } from "../../ui/star-button.tsx";
import { OF_ONE_SEQUENCE } from "./choices.ts";
import { commandFor } from "./model/command.ts";
import { neighbour, type Order } from "./model/order.ts";
import type { SequenceModel } from "./model/sequence-model.ts";

export interface HeaderProps {
  readonly model: SequenceModel;
  readonly current: number | undefined;
  readonly order: Order | undefined;
  /** For a sequence of the compared run: the run's name. */
  readonly badge: string | undefined;
  /** The number of its group's page in the address. */
  readonly group: number | undefined;
  /** Facts of the run that the sequence is in. */
  readonly info: Pick<RunInfo, "input" | "tokenizer" | "bundled">;
}

/** Which sequence this is, and its figures. */
export function SequenceHeader({ model, current, order, badge, group, info }: HeaderProps) {
  const { meta } = model.wire;
  return (
    <header class="sequence-head">
      <div class="sequence-title">
        <h1>{meta.handle}</h1>
        {badge === undefined && <StarButton handle={meta.handle} isFixed={info.bundled === true} />}
        {badge !== undefined && <strong class="run-badge">{printable(badge)}</strong>}
        {meta.correct !== null && (
          <strong class={meta.correct === 1 ? "verdict right" : "verdict wrong"}>
            {meta.correct === 1 ? "✓ right" : "✗ wrong"}
          </strong>
        )}
        <Neighbours order={order} list={badge === undefined ? "sequences" : "compare"} />
        <Copies handle={current === undefined ? meta.handle : `${meta.handle}.t${current}`} info={info} />
      </div>
      <Facts model={model} group={group} />
    </header>
  );
}

function Neighbours({
  order,
  list,
}: Pick<HeaderProps, "order"> & { readonly list: "sequences" | "compare" }) {
  return (
    <nav aria-label="Neighboring sequences">
      <Neighbour index={order && neighbour(order, -1)} title="← previous" />
      <a
        href={makeHref({ view: list, token: undefined })}
        title="the order of the list of sequences, with its filter, steps and sorting"
      >
        {order === undefined
          ? "list"
          : order.at < 0
            ? `not among the ${formatCount(order.rows.length)} in the list`
            : `${formatCount(order.at + 1)} of ${formatCount(order.rows.length)} in this order`}
      </a>
      <Neighbour index={order && neighbour(order, 1)} title="next →" />
    </nav>
  );
}

function Copies({ handle, info }: Pick<HeaderProps, "info"> & { readonly handle: string }) {
  return (
    <span class="copies">
      <CopyButton label="Copy handle" text={() => handle} />
      <CopyButton label="Copy link" text={() => location.href} />
      <CopyButton
        label="Copy command"
        text={() => commandFor(info.input.paths, info.input.flags, handle, info.tokenizer)}
      />
    </span>
  );
}

function Facts({ model, group }: Pick<HeaderProps, "model" | "group">) {
  const { maxAbs, worst } = model.statistics;
  return (
    <dl class="facts">
      {listFacts(model).map(([name, value]) => (
        <div key={name}>
          <dt>
            <Explained text={name} />
          </dt>
          <dd title={value}>
            {name === "group" && group !== undefined ? (
              <a
                href={makeHref({ view: "group", sequence: group, token: undefined, params: OF_ONE_SEQUENCE })}
              >
                <bdi>{value}</bdi>
              </a>
            ) : (
              <bdi>{value}</bdi>
            )}
          </dd>
        </div>
      ))}
      <div>
        <dt>
          <Explained text={RUN_METRICS.delta_abs_max.label} />
        </dt>
        <dd>
          {worst < 0 ? formatNumber(maxAbs) : <a href={makeHref({ token: worst })}>{formatNumber(maxAbs)}</a>}
        </dd>
      </div>
    </dl>
  );
}

/** The facts that are known. */
function listFacts({
  wire: { meta },
  statistics,
  response,
  runs,
}: SequenceModel): (readonly [string, string])[] {
  const { tokens, meanAbs, k3, infinite } = statistics;
  const turns = runs.filter(({ kind }) => kind === "turn").length;
  const facts: readonly (readonly [string, string | null])[] = [
    ["step", meta.step === null ? null : formatId(meta.step)],
    ["rank", meta.rank === null ? null : formatId(meta.rank)],
    ["sample", meta.sample],
    ["group", meta.group],
    ["environment", meta.environment],
    ["reward", meta.reward === null ? null : formatPlain(meta.reward)],
    ["tokens", `${formatCount(tokens)} of ${formatCount(response)}`],
    ["turns", formatCount(turns)],
    [RUN_METRICS.delta_abs_mean.label, formatNumber(meanAbs)],
    [RUN_METRICS.k3.label, formatNumber(k3)],
    ["not finite", infinite === 0 ? null : formatCount(infinite)],
  ];
  return facts.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
}

function Neighbour({ index, title }: { readonly index: number | undefined; readonly title: string }) {
  if (index === undefined) return <span aria-disabled="true">{title}</span>;
  return <a href={makeHref({ sequence: index, token: undefined, params: OF_ONE_SEQUENCE })}>{title}</a>;
}
