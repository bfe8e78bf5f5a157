import { formatCount } from "../../../src/render/text/display/index.ts";
import type { RunInfo } from "../../../src/results/view.ts";
import { formatSequenceHandle, nameSequence } from "../state/handles.ts";
import type { Loaded, table } from "../state/loaded.ts";
import { describeRead, type SequencePlace } from "../state/sequence-place.ts";
import { makeHref } from "../state/url.ts";

/** Shown if the run lacks the sequence that the address names, and while the names are loading. */
export function MissingSequence({
  of,
  info,
}: {
  readonly of: Exclude<Loaded<SequencePlace>, { state: "ready" }>;
  readonly info: Pick<RunInfo, "status" | "input">;
}) {
  if (of.state === "loading") {
    return (
      <p class="loading" role="status">
        loading …
      </p>
    );
  }
  return (
    <p class="failed" role="alert">
      {of.message}
      {describeRead(info)}{" "}
      <a href={makeHref({ view: "sequences", sequence: undefined, token: undefined })}>All sequences</a>
    </p>
  );
}

/** Says that an address may mean another sequence, with links to each. */
export function SameHandle({
  table: of,
  index,
  same,
}: {
  readonly table: typeof table;
  readonly index: number;
  readonly same: readonly number[];
}) {
  const loaded = of().value;
  if (loaded.state !== "ready") return null;
  const { value } = loaded;
  return (
    <p class="failed" role="alert">
      {formatCount(same.length)} sequences have the handle {formatSequenceHandle(value, index)}. This is the
      first of them;{" "}
      {same.slice(1, MOST_SAME).map((other) => (
        <a key={other} href={makeHref({ view: "sequence", sequence: other, token: undefined })}>
          {nameSequence(value, other)}{" "}
        </a>
      ))}
      {same.length > MOST_SAME
        ? "and so on are the others."
        : same.length === 2
          ? "is the other."
          : "are the others."}
    </p>
  );
}

/** The most sequences that are named. */
const MOST_SAME = 8;
