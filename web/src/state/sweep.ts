import { type ReadonlySignal, signal } from "@preact/signals";
import { useMemo, useState } from "preact/hooks";
import type { SweepReport } from "../../../src/results/sweep.ts";
import type { RunInfo } from "../../../src/results/view.ts";
import { client } from "../api/client.ts";
import { type Loaded, settle } from "./loaded.ts";
import { formatSteps, type StepRange } from "./step-range.ts";

/** Larger runs are swept on request only, because that takes the server some seconds. */
const TOKENS_AT_ONCE = 2_000_000;

export interface Swept {
  readonly swept: ReadonlySignal<Loaded<SweepReport>>;
  /** Requests the sweep; undefined if it has been requested. */
  readonly ask: (() => void) | undefined;
}

/** What `logratio sweep` finds for these steps; a bundle knows it for the whole run only. */
export function useSweep(info: RunInfo, range: StepRange | null): Swept {
  const [asked, setAsked] = useState(info.tokens <= TOKENS_AT_ONCE);
  const steps = range === null ? undefined : formatSteps(range);
  const swept = useMemo(() => {
    const own = signal<Loaded<SweepReport>>({ state: "loading" });
    if (asked) void settle(client.sweep(steps), own);
    return own;
  }, [asked, steps, info.version]);
  return { swept, ask: asked ? undefined : () => setAsked(true) };
}
