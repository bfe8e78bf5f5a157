import type { Context } from "hono";
import { type SSEStreamingApi, streamSSE } from "hono/streaming";

const KEEP_ALIVE_MS = 15_000;

/** Server-sent events: small notices, so that pages ask again for what they show. */
export class Events {
  readonly #streams = new Set<SSEStreamingApi>();

  readonly #last = new Map<string, string>();

  /** Open until the page goes away or {@link close} is called. */
  answer(c: Context): Response {
    c.header("cache-control", "no-store");
    return streamSSE(c, async (stream) => {
      this.#streams.add(stream);
      const gone = new Promise<void>((resolve) => stream.onAbort(resolve));
      try {
        await stream.write(": connected\n\n");
        for (const [event, data] of this.#last) await stream.writeSSE({ event, data });
        while (!stream.aborted && !stream.closed) {
          await Promise.race([gone, pause(KEEP_ALIVE_MS)]);
          if (!stream.aborted && !stream.closed) await stream.write(": still here\n\n");
        }
      } finally {
        this.#streams.delete(stream);
      }
    });
  }

  send(event: string, data: unknown): void {
    for (const stream of this.#streams) void stream.writeSSE({ event, data: JSON.stringify(data) });
  }

  /** Like {@link send}, and also sent to pages that connect later. */
  state(event: string, data: unknown): void {
    const text = JSON.stringify(data);
    if (this.#last.get(event) === text) return;
    this.#last.set(event, text);
    this.send(event, data);
  }

  /** Whether any page listens. */
  get areHeard(): boolean {
    return this.#streams.size > 0;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#streams].map((stream) => stream.close()));
    this.#streams.clear();
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
