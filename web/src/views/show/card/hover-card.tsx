import { useSignal, useSignalEffect } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Linked } from "../linked.ts";
import { cardPlace } from "./card-place.ts";
import { TokenCard, type TokenCardProps } from "./token-card.tsx";

const DELAY = 100;

/** The card of the token under the pointer, shown after a moment and never over the token. */
export function HoverCard({
  linked,
  spanOf,
  ...card
}: Omit<TokenCardProps, "place" | "children"> & {
  readonly linked: Linked;
  readonly spanOf: (place: number) => HTMLElement | undefined;
}) {
  const shown = useSignal<number | undefined>(undefined);
  const element = useRef<HTMLDivElement>(null);

  useSignalEffect(() => {
    const hovered = linked.hovered.value;
    if (hovered?.on !== "strip") {
      shown.value = undefined;
      return;
    }
    const timer = setTimeout(() => {
      shown.value = hovered.place;
    }, DELAY);
    return () => clearTimeout(timer);
  });

  useSignalEffect(() => {
    // Scrolling moves the token away from the pointer.
    linked.sight.value;
    shown.value = undefined;
  });

  const place = shown.value;
  useLayoutEffect(() => {
    const own = element.current;
    const span = place === undefined ? undefined : spanOf(place);
    if (own === null || span === undefined) return;
    const put = (): void => {
      const { left, top } = cardPlace(span.getBoundingClientRect(), own.getBoundingClientRect(), {
        width: innerWidth,
        height: innerHeight,
      });
      own.style.left = `${left}px`;
      own.style.top = `${top}px`;
    };
    put();
    // Alternatives arrive later and make the card taller.
    const resized = new ResizeObserver(put);
    resized.observe(own);
    return () => resized.disconnect();
  }, [place]);

  if (place === undefined) return null;
  return (
    <div ref={element} class="card hover-card" aria-hidden="true">
      <TokenCard {...card} place={place} />
    </div>
  );
}
