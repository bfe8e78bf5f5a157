/** Limits the bytes received at once: beyond it, recorders are told to try again later. */
export class IngestGate {
  #bytes = 0;

  constructor(readonly most: number) {}

  get bytes(): number {
    return this.#bytes;
  }

  /** @returns gives the bytes back; undefined where there is no room. One batch alone always has room. */
  enter(bytes: number): (() => void) | undefined {
    // A batch has a cost besides its bytes.
    const taken = Math.max(bytes, 1 << 16);
    if (this.#bytes > 0 && this.#bytes + taken > this.most) return undefined;
    this.#bytes += taken;
    let isIn = true;
    return () => {
      if (isIn) this.#bytes -= taken;
      isIn = false;
    };
  }
}
