import { makeHref } from "../../../state/url.ts";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { StarButton } from "../../../ui/star-button.tsx";
import { TokenCard, type TokenCardProps } from "./token-card.tsx";

/** Pinned cards, the latest first, beside the text, or below it if there is no room. */
export function PinnedCards({
  pins,
  onPins,
  stars,
  ...card
}: Omit<TokenCardProps, "place" | "children"> & {
  /** Whether tokens can be starred: not in the other run; in a bundle stars are fixed. */
  readonly stars: "none" | "fixed" | "free";
  /** Response tokens. */
  readonly pins: readonly number[];
  readonly onPins: (pins: readonly number[]) => void;
}) {
  if (pins.length === 0) return null;
  return (
    <aside class="pinned-cards" aria-label="Pinned tokens">
      <p class="pins-head">
        {pins.length} pinned
        <button type="button" onClick={() => onPins([])}>
          unpin all
        </button>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section class="pins" tabIndex={0} aria-label="Cards">
        {pins.toReversed().map((token) => (
          <article key={token} class="card">
            <TokenCard {...card} place={token + card.model.prompt}>
              <a href={makeHref({ token, params: { prompt: undefined } })} title="Show in the text">
                t{token}
              </a>
              {stars !== "none" && (
                <StarButton handle={`${card.model.wire.meta.handle}.t${token}`} isFixed={stars === "fixed"} />
              )}
              <CopyButton
                label="link"
                text={() => new URL(makeHref({ token, params: { prompt: undefined } }), location.href).href}
              />
              <button
                type="button"
                onClick={() => onPins(pins.filter((pin) => pin !== token))}
                aria-label={`Unpin token ${token}`}
              >
                ×
              </button>
            </TokenCard>
          </article>
        ))}
      </section>
    </aside>
  );
}
