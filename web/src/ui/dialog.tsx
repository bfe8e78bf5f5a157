import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** A modal dialog. A click beside it or Escape closes it, and the focus returns to where it was. */
export function Dialog({
  label,
  onClose,
  class: name = "",
  children,
}: {
  readonly label: string;
  readonly onClose: () => void;
  readonly class?: string;
  readonly children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it; the click is for the space around it
    <dialog
      ref={dialog}
      class={name}
      aria-label={label}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      {children}
    </dialog>
  );
}
