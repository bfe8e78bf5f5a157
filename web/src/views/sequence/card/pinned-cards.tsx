import { hrefOf } from "../../../state/url.ts";
import { TokenCard, type TokenCardProps } from "./token-card.tsx";

/** Cards that stay, the last one on top. */
export function PinnedCards({
  pins,
  onUnpin,
  ...card
}: Omit<TokenCardProps, "place" | "children"> & {
  /** Response tokens. */
  readonly pins: readonly number[];
  readonly onUnpin: (token: number) => void;
}) {
  if (pins.length === 0) return null;
  return (
    <aside class="pinned-cards" aria-label="Pinned tokens">
      {pins.toReversed().map((token) => (
        <article key={token} class="card">
          <TokenCard {...card} place={token + card.model.prompt}>
            <a href={hrefOf({ token })} title="Show it in the text">
              t{token}
            </a>
            <button type="button" onClick={() => onUnpin(token)} aria-label={`Unpin token ${token}`}>
              ×
            </button>
          </TokenCard>
        </article>
      ))}
    </aside>
  );
}
