import type { LogitBlock } from "../../core/kernels/index.ts";
import type { ForcedText, LogitsPolicy } from "./policy.ts";

/**
 * Rows of logits kept in memory up to a limit, so that the reference runs once and not once per checkpoint; stored rows
 * are reread instead. The first rows stay: a study requests its texts in the same order each time, so evicting the
 * oldest would evict exactly what is needed next.
 */
export class RowCache {
  readonly #limit: number;
  readonly #policies: ReadonlySet<string>;
  readonly #kept = new Map<string, readonly LogitBlock[]>();
  #bytes = 0;

  /**
   * @param limit bytes
   * @param policies names of the policies that are requested again; rows of others are not cached
   */
  constructor(limit: number, policies: Iterable<string>) {
    this.#limit = limit;
    this.#policies = new Set(policies);
  }

  /** Whether a policy is requested again, so that its rows are worth caching. */
  keeps(policy: string): boolean {
    return this.#policies.has(policy);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The policy's rows for a text: cached ones, or new ones, which are cached if they fit. */
  async *rows(
    policy: Pick<LogitsPolicy, "name" | "logits" | "stored">,
    text: ForcedText,
    signal?: AbortSignal,
  ): AsyncGenerator<LogitBlock> {
    const key = `${policy.name}\0${text.id}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined) {
      yield* kept;
      return;
    }
    const isKept = this.#policies.has(policy.name) && policy.stored !== true;
    let copies: LogitBlock[] | undefined = isKept ? [] : undefined;
    let bytes = 0;
    for await (const block of policy.logits(text, signal)) {
      bytes += block.values.byteLength;
      if (this.#bytes + bytes > this.#limit) copies = undefined;
      copies?.push({ ...block, values: block.values.slice() });
      yield block;
    }
    if (copies === undefined) return;
    this.#kept.set(key, copies);
    this.#bytes += bytes;
  }
}
