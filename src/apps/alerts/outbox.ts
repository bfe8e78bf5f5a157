import { backoffMs, sleep } from "../../input/io/index.ts";

/** A pending delivery. */
export interface Parcel {
  readonly id: string;
  readonly body: string;
}

export interface OutboxOptions {
  readonly name: string;
  /** Delivers one; rejects if it could not. */
  readonly send: (parcel: Parcel, signal: AbortSignal) => Promise<void>;
  /** Receives lines for the terminal. */
  readonly tell: (message: string) => void;
  /** Called when the queue has changed, to save it. */
  readonly onChange: () => void;
  readonly waiting?: readonly Parcel[];
  /** Before the first retry, doubled for each. */
  readonly baseMs?: number;
}

/** More events than any run has: a receiver that is down for days must not fill the memory. */
const MOST_WAITING = 1000;
/** With waits that double up to half a minute: about four minutes. */
const MOST_ATTEMPTS = 12;
const BASE_MS = 500;

/** The queue of one channel: delivers in order, retrying each, in the background. */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #waiting: Parcel[];
  readonly #stop = new AbortController();
  #working: Promise<void> | undefined;
  #dropped = 0;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#waiting = [...(options.waiting ?? [])];
    this.#work();
  }

  get name(): string {
    return this.#options.name;
  }

  get waiting(): readonly Parcel[] {
    return this.#waiting;
  }

  /** Returns at once. */
  add(parcel: Parcel): void {
    if (this.#waiting.length >= MOST_WAITING) {
      this.#dropped++;
      if (this.#dropped === 1)
        this.#options.tell(`alerts for ${this.name} are dropped: ${MOST_WAITING} wait to be delivered`);
      return;
    }
    this.#waiting.push(parcel);
    this.#work();
  }

  #work(): void {
    if (this.#working !== undefined || this.#waiting.length === 0 || this.#stop.signal.aborted) return;
    this.#working = this.#deliverAll().finally(() => {
      this.#working = undefined;
    });
  }

  async #deliverAll(): Promise<void> {
    const { send, tell, onChange, baseMs = BASE_MS } = this.#options;
    const { signal } = this.#stop;
    let attempt = 0;
    while (this.#waiting.length > 0 && !signal.aborted) {
      try {
        await send(this.#waiting[0]!, signal);
        this.#waiting.shift();
        attempt = 0;
        onChange();
      } catch (error) {
        if (signal.aborted) return;
        attempt++;
        const why = (error as Error).message;
        if (attempt === 1) tell(`cannot deliver an alert to ${this.name}: ${why}; trying again`);
        if (attempt === MOST_ATTEMPTS) {
          tell(
            `${this.name} could not be reached ${attempt} times (${why}); the next alert, or the next start, tries again`,
          );
          return;
        }
        await sleep(backoffMs(attempt - 1, baseMs), signal).catch(() => {});
      }
    }
  }

  /** Waits this long for pending deliveries, then stops. */
  async close(graceMs: number): Promise<void> {
    const timer = new AbortController();
    await Promise.race([this.#working ?? Promise.resolve(), sleep(graceMs, timer.signal).catch(() => {})]);
    timer.abort();
    this.#stop.abort(new Error("the program ends"));
    await this.#working;
  }
}
