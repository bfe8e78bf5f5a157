import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/** A summary that opens a layer over the page. Escape closes it, and so does a click or focus outside. */
export function Popover({
  class: name,
  summary,
  title,
  children,
}: {
  readonly class: string;
  readonly summary: ComponentChildren;
  readonly title?: string;
  readonly children: ComponentChildren;
}) {
  const root = useRef<HTMLDetailsElement>(null);
  // The element opens by itself and reports it later; a key may be pressed in between.
  const [open, setOpen] = useState(false);
  const close = (): void => {
    // The page may have moved to another view meanwhile.
    if (root.current !== null) root.current.open = false;
  };
  useLeave(root, open, close);
  return (
    <details
      ref={root}
      class={name}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !event.currentTarget.open) return;
        close();
        event.currentTarget.querySelector("summary")?.focus();
        // Otherwise the page's own Escape would close what is below.
        event.preventDefault();
      }}
    >
      <summary title={title}>{summary}</summary>
      {children}
    </details>
  );
}

/** While `open`, calls `close` when a press or the focus goes outside the element. */
export function useLeave(root: RefObject<HTMLElement | null>, open: boolean, close: () => void): void {
  useEffect(() => {
    if (!open) return;
    const onEvent = ({ target }: Event): void => {
      if (!(target instanceof Node && root.current?.contains(target))) close();
    };
    const events = ["pointerdown", "focusin"];
    for (const event of events) document.addEventListener(event, onEvent);
    return () => {
      for (const event of events) document.removeEventListener(event, onEvent);
    };
  }, [open]);
}
