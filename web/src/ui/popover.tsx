import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/** A line that opens what lies over the page. Escape closes it, and so does whatever one goes to elsewhere. */
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
  // The element opens itself and tells of it later: a key may come before.
  const [open, setOpen] = useState(false);
  const close = (): void => {
    root.current!.open = false;
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
        // The page's own Escape closes what lies below.
        event.preventDefault();
      }}
    >
      <summary title={title}>{summary}</summary>
      {children}
    </details>
  );
}

/** Calls `close` when, while it is open, a press or the focus goes to anything outside of an element. */
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
