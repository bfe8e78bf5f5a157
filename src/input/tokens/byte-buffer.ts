/** Bytes that grow at their end, in memory that is used again. */
export class ByteBuffer {
  /** The first {@link length} count. */
  bytes = new Uint8Array(4096);
  length = 0;

  clear(): void {
    this.length = 0;
  }

  append(bytes: Uint8Array): void {
    this.#grow(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** Appends bytes `[from, to)` of another buffer. */
  copy({ bytes }: ByteBuffer, from: number, to: number): void {
    this.#grow(to - from);
    const own = this.bytes;
    let at = this.length;
    // A few bytes at a time: calls of `set` would cost more.
    for (let i = from; i < to; i++) own[at++] = bytes[i]!;
    this.length = at;
  }

  #grow(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const wider = new Uint8Array(2 * (this.length + more));
    wider.set(this.bytes.subarray(0, this.length));
    this.bytes = wider;
  }
}
