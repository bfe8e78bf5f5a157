/** Larger ids are rare enough for a set; files can contain any number. */
const MOST_IDS = 1 << 22;

/** Which token ids were seen since the last {@link clear}: a set that costs nothing to empty, for use row by row. */
export class SeenIds {
  /** By id: when it was last seen. */
  #times = new Uint32Array(1024);
  #time = 1;
  readonly #others = new Set<number>();

  clear(): void {
    this.#time++;
    if (this.#others.size > 0) this.#others.clear();
  }

  has(id: number): boolean {
    return id >= 0 && id < MOST_IDS ? this.#times[id] === this.#time : this.#others.has(id);
  }

  add(id: number): void {
    if (id < 0 || id >= MOST_IDS) {
      this.#others.add(id);
      return;
    }
    if (id >= this.#times.length) {
      const wider = new Uint32Array(Math.max(id + 1, 2 * this.#times.length));
      wider.set(this.#times);
      this.#times = wider;
    }
    this.#times[id] = this.#time;
  }

  addAll(ids: ArrayLike<number>): void {
    for (let i = 0; i < ids.length; i++) this.add(ids[i]!);
  }
}
