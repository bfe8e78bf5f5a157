import type { ComponentChildren } from "preact";
import type { Loaded } from "../state/loaded.ts";

/** Draws the value once loaded; until then a notice, or why loading failed. */
export function WhenLoaded<T>({
  of,
  children,
}: {
  /** A signal, or the value it had. */
  readonly of: { readonly value: Loaded<T> };
  readonly children: (value: T) => ComponentChildren;
}) {
  const loaded = of.value;
  if (loaded.state === "ready") return <>{children(loaded.value)}</>;
  if (loaded.state === "failed") {
    return (
      <p class="failed" role="alert">
        {loaded.message}
      </p>
    );
  }
  return (
    <p class="loading" role="status">
      loading …
    </p>
  );
}
