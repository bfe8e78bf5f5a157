import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

/**
 * A box for content that may be wider than the page; while it is, the box takes the focus so that keys can scroll it.
 */
export function ScrollBox({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ComponentChildren;
}) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = (): void => {
      const scrolls =
        element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight;
      if (scrolls) {
        element.setAttribute("tabindex", "0");
        element.setAttribute("role", "group");
        element.setAttribute("aria-label", label);
      } else for (const name of ["tabindex", "role", "aria-label"]) element.removeAttribute(name);
    };
    const resized = new ResizeObserver(measure);
    resized.observe(element);
    for (const child of element.children) resized.observe(child);
    return () => resized.disconnect();
  }, [label]);
  return (
    <div ref={box} class="scroll">
      {children}
    </div>
  );
}
