import type { PreparedRun } from "../prepare/cache/prepared-run.ts";

interface Held {
  run: PreparedRun;
  uses: number;
  retired: boolean;
}

/** The run that is shown. A newer one replaces it; the older one is closed when nothing reads from it any longer. */
export class CurrentRun {
  #held: Held | undefined;
  /** Versions that are a prefix of the current run, so that their row numbers stay valid. */
  #grownFrom = new Set<string>();

  /** Without a run, there is none to show yet. */
  constructor(run?: PreparedRun) {
    if (run !== undefined) this.#hold(run, true);
  }

  get info(): PreparedRun["info"] | undefined {
    return this.#held?.run.info;
  }

  /** Whether a page of this version may be answered from the current run. */
  answersFor(version: string): boolean {
    return this.#grownFrom.has(version);
  }

  /** Call only where there is a run. */
  async use<T>(work: (run: PreparedRun) => Promise<T>): Promise<T> {
    const held = this.#held!;
    held.uses++;
    try {
      return await work(held.run);
    } finally {
      held.uses--;
      if (held.retired && held.uses === 0) await held.run.close();
    }
  }

  /** @param anew row numbers may have changed */
  async replace(run: PreparedRun, anew: boolean): Promise<void> {
    const old = this.#held;
    this.#hold(run, anew);
    if (old !== undefined) await retire(old);
  }

  /** As {@link replace}, where the run is part of what takes its place: its rows stay, and nothing is closed. */
  async extend(make: (run: PreparedRun) => Promise<PreparedRun>): Promise<void> {
    const held = this.#held!;
    held.uses++;
    try {
      held.run = await make(held.run);
      this.#grownFrom.add(held.run.info.version);
    } finally {
      held.uses--;
      if (held.retired && held.uses === 0) await held.run.close();
    }
  }

  async close(): Promise<void> {
    if (this.#held !== undefined) await retire(this.#held);
  }

  #hold(run: PreparedRun, anew: boolean): void {
    this.#held = { run, uses: 0, retired: false };
    if (anew) this.#grownFrom.clear();
    this.#grownFrom.add(run.info.version);
  }
}

async function retire(held: Held): Promise<void> {
  held.retired = true;
  if (held.uses === 0) await held.run.close();
}
