import type { ReadonlySignal } from "@preact/signals";
import { formatNumber } from "../../../../../src/report/display.ts";
import type { WireTopK } from "../../../../../src/wire/index.ts";
import type { Loaded } from "../../../state/loaded.ts";
import { WhenLoaded } from "../../../ui/when-loaded.tsx";
import { literal } from "../model/display.ts";
import { type MergedTopK, mergedTopK, type Share } from "../model/merged-top-k.ts";

export interface TopKProps {
  readonly of: ReadonlySignal<Loaded<WireTopK>>;
  readonly token: number;
  readonly actual: Parameters<typeof mergedTopK>[2];
  /** Whether the policy sampled it, rather than being given it. */
  readonly own: boolean;
}

/** Both policies' alternatives in one list, with paired bars. */
export function TopKTable({ of, token, actual, own }: TopKProps) {
  return (
    <WhenLoaded of={of}>
      {(alternatives) => <Merged merged={mergedTopK(alternatives, token, actual)} own={own} />}
    </WhenLoaded>
  );
}

function Merged({
  merged: { candidates, rest },
  own,
}: {
  readonly merged: MergedTopK;
  readonly own: boolean;
}) {
  if (rest.rollout === undefined && rest.trainer === undefined)
    return <p class="card-note">no alternatives recorded at this token</p>;
  return (
    <table class="top-k">
      <thead>
        <tr>
          <th scope="col">candidate</th>
          <th scope="col">p rollout</th>
          <th scope="col">p trainer</th>
        </tr>
      </thead>
      <tbody>
        {candidates.map(({ id, text, actual, rollout, trainer }) => (
          <tr key={id} class={actual ? "actual" : undefined}>
            <th scope="row" title={`id ${id}`}>
              <bdi>{text === undefined ? `#${id}` : literal(text, 24)}</bdi>
              {actual && <span class="mark"> {own ? "sampled" : "given"}</span>}
            </th>
            <ShareCell share={rollout} side="rollout" />
            <ShareCell share={trainer} side="trainer" />
          </tr>
        ))}
        <tr class="rest">
          <th scope="row">rest of the vocabulary</th>
          <RestCell p={rest.rollout} side="rollout" />
          <RestCell p={rest.trainer} side="trainer" />
        </tr>
      </tbody>
    </table>
  );
}

function ShareCell({ share, side }: { readonly share: Share; readonly side: "rollout" | "trainer" }) {
  if (share.kind === "unknown") return <td class="none">not recorded</td>;
  if (share.kind === "atMost") return <td class="none">not in top k (≤ {formatNumber(share.p)})</td>;
  return (
    <td>
      <Bar p={share.p} side={side} />
      {formatNumber(share.p)}
      {share.rank !== undefined && <span class="rank"> #{share.rank}</span>}
    </td>
  );
}

function RestCell({ p, side }: { readonly p: number | undefined; readonly side: "rollout" | "trainer" }) {
  if (p === undefined) return <td class="none">not recorded</td>;
  return (
    <td>
      <Bar p={p} side={side} />
      {formatNumber(p)}
    </td>
  );
}

function Bar({ p, side }: { readonly p: number; readonly side: "rollout" | "trainer" }) {
  return <i class={`bar ${side}`} style={{ width: `${Math.min(1, p) * 100}%` }} />;
}
