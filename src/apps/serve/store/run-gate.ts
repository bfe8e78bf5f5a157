/** Batches of a run arrive side by side, but never while the run is removed or closed. */
export class RunGate {
  readonly #arriving = new Map<string, number>();
  readonly #alone = new Map<string, Promise<void>>();

  /** Whether a batch of the run is arriving. */
  isBusy(folder: string): boolean {
    return this.#arriving.has(folder);
  }

  /** Waits for work that needs the run alone. @returns leaves again */
  async enter(folder: string): Promise<() => void> {
    for (let work = this.#alone.get(folder); work !== undefined; work = this.#alone.get(folder))
      await work.catch(() => {});
    this.#arriving.set(folder, (this.#arriving.get(folder) ?? 0) + 1);
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      const left = this.#arriving.get(folder)! - 1;
      if (left > 0) this.#arriving.set(folder, left);
      else this.#arriving.delete(folder);
    };
  }

  /** Runs work while no batch of the run arrives; undefined where one is arriving, or other such work runs. */
  alone(folder: string, work: () => Promise<void>): Promise<void> | undefined {
    if (this.#arriving.has(folder) || this.#alone.has(folder)) return undefined;
    const done = work().finally(() => this.#alone.delete(folder));
    this.#alone.set(folder, done);
    return done;
  }

  /** Resolves when no batch of any run is arriving. */
  async settle(): Promise<void> {
    while (this.#arriving.size > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
