import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/** Pixels beyond what is in sight that are drawn already. */
const MARGIN = "800px";

/** A part of a long text: drawn with all that it has once it is near to what is in sight, and from then on. */
export function WhenNear({
  isNear,
  otherwise,
  height,
  children,
}: {
  /** Drawn wherever it is: texts that are short, and what is chosen. */
  readonly isNear: boolean;
  /** What stands for it until then: as tall, and cheap. */
  readonly otherwise?: string;
  /** Pixels that it takes until then, where nothing stands for it. */
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
