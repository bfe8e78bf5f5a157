import { useRef } from "preact/hooks";
import { copyText } from "./copy-text.ts";
import { findPlace } from "./token-span.ts";
import type { TokenStripProps } from "./token-strip-props.ts";
import { useStrip } from "./use-strip.ts";

/** The text of the sequence, colored. The elements in it are the strip's own: rendering again leaves them alone. */
export function TokenStrip(props: TokenStripProps) {
  const { model, linked, choices, onPick } = props;
  const scroller = useRef<HTMLDivElement>(null);
  useStrip(scroller, props);

  const hover = (target: EventTarget | null): void => {
    const at = findPlace(target);
    const before = linked.hovered.peek();
    if (at === before?.place) return;
    linked.hovered.value = at === undefined ? undefined : { place: at, on: "strip" };
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: a region would list every strip among the page's landmarks
    <div
      ref={scroller}
      class="strip"
      role="group"
      aria-label="Tokens of the sequence"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      onPointerOver={(event) => hover(event.target)}
      onPointerLeave={() => hover(null)}
      onCopy={copyText}
      onKeyDown={(event) => {
        if (event.key === "Enter" && event.target === event.currentTarget && choices.current !== undefined)
          onPick(choices.current);
      }}
      onClick={(event) => {
        const selection = getSelection();
        if (selection !== null && !selection.isCollapsed) return;
        const at = findPlace(event.target);
        if (at !== undefined && at >= model.prompt) onPick(at - model.prompt);
      }}
    />
  );
}
