import type { PreparedRun } from "../prepare/index.ts";

interface Held {
  readonly run: PreparedRun;
  uses: number;
  retired: boolean;
}

/** The run that is shown. A newer one takes its place; the older one is closed when nothing reads from it any more. */
export class CurrentRun {
  #held: Held;

  constructor(run: PreparedRun) {
    this.#held = { run, uses: 0, retired: false };
  }

  get info(): PreparedRun["info"] {
    return this.#held.run.info;
  }

  async use<T>(work: (run: PreparedRun) => Promise<T>): Promise<T> {
    const held = this.#held;
    held.uses++;
    try {
      return await work(held.run);
    } finally {
      held.uses--;
      if (held.retired && held.uses === 0) await held.run.close();
    }
  }

  async replace(run: PreparedRun): Promise<void> {
    const old = this.#held;
    this.#held = { run, uses: 0, retired: false };
    await retire(old);
  }

  close(): Promise<void> {
    return retire(this.#held);
  }
}

async function retire(held: Held): Promise<void> {
  held.retired = true;
  if (held.uses === 0) await held.run.close();
}
