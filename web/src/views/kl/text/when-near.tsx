import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/** Content this close to the visible area is drawn already. */
const MARGIN = "800px";

/** A part of a long text, drawn in full once it comes near the visible area, and from then on. */
export function WhenNear({
  isNear,
  otherwise,
  height,
  children,
}: {
  /** Whether it is always drawn: short texts, and the selected part. */
  readonly isNear: boolean;
  /** A cheap placeholder of the same height until then. */
  readonly otherwise?: string;
  /** Without a placeholder: the height in pixels until then. */
  readonly height?: number;
  readonly children: () => ComponentChildren;
}) {
  const part = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState(false);
  const isDrawn = isNear || seen;
  useEffect(() => {
    if (isDrawn || part.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
      },
      { root: part.current.closest(".heat-strip"), rootMargin: MARGIN },
    );
    observer.observe(part.current);
    return () => observer.disconnect();
  }, [isDrawn]);
  return (
    <div
      ref={part}
      class="part"
      style={isDrawn || height === undefined ? undefined : { minBlockSize: `${height}px` }}
    >
      {isDrawn ? children() : otherwise}
    </div>
  );
}
