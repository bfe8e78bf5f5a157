/**
 * Which GRPO groups (step and group id) have a sequence left under each correction.
 *
 * @module
 */
import type { ByteReader, ByteWriter } from "../../core/base/index.ts";
import { KeyHash, ownWay } from "../../core/summaries/index.ts";

/** A map has at most 2^24 keys, so groups are spread over several. */
const MAPS = 64;

/**
 * In most groups a sequence survives under every correction, so few patterns of survival occur: a group is stored as a
 * hash and the number of its pattern. A group spread over batches or files counts once.
 */
export class GroupSurvivors {
  /** Patterns are numbered anew for what is written: a group takes a byte or two beside its hash. */
  static readonly layout = ownWay<GroupSurvivors>("patterns of survival by hash");
  readonly #corrections: number;
  /** Groups of the current batch: hash to slot. */
  readonly #open = new Map<number, number>();
  /** `[capacity × corrections]`: 1 if the group has a survivor. */
  #survives: Uint8Array;
  readonly #closed = Array.from({ length: MAPS }, () => new Map<number, number>());
  /** By number: 1 for corrections with a survivor, `[corrections]`. */
  readonly #patterns: Uint8Array[] = [];
  readonly #numbers = new Map<string, number>();
  /** For two patterns, the pattern of what survives in either. */
  readonly #unions = new Map<string, number>();

  constructor(corrections: number) {
    this.#corrections = corrections;
    this.#survives = new Uint8Array(corrections * 64);
  }

  /** Number of groups seen. */
  get groups(): number {
    return this.#closed.reduce((sum, map) => sum + map.size, 0);
  }

  /** The group's slot for {@link keep}, until the next {@link close}. */
  slotOf(step: number, group: string): number {
    const hash = new KeyHash().addNumber(step).addText(group).key();
    const known = this.#open.get(hash);
    if (known !== undefined) return known;
    const slot = this.#open.size;
    this.#open.set(hash, slot);
    if ((slot + 1) * this.#corrections > this.#survives.length) {
      const grown = new Uint8Array(2 * this.#survives.length);
      grown.set(this.#survives);
      this.#survives = grown;
    }
    return slot;
  }

  keep(slot: number, correction: number): void {
    this.#survives[slot * this.#corrections + correction] = 1;
  }

  /** Ends a batch. */
  close(): void {
    for (const [hash, slot] of this.#open) {
      const at = slot * this.#corrections;
      this.#add(hash, this.#numberPattern(this.#survives.slice(at, at + this.#corrections)));
    }
    this.#survives.fill(0, 0, this.#open.size * this.#corrections);
    this.#open.clear();
  }

  #add(hash: number, pattern: number): void {
    const map = this.#closed[hash % MAPS]!;
    const known = map.get(hash);
    map.set(hash, known === undefined || known === pattern ? pattern : this.#unite(known, pattern));
  }

  #numberPattern(pattern: Uint8Array): number {
    const key = pattern.join("");
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.#patterns.length);
    return this.#patterns.push(pattern) - 1;
  }

  #unite(a: number, b: number): number {
    const key = a < b ? `${a} ${b}` : `${b} ${a}`;
    const known = this.#unions.get(key);
    if (known !== undefined) return known;
    const [left, right] = [this.#patterns[a]!, this.#patterns[b]!];
    const number = this.#numberPattern(left.map((flag, correction) => flag | right[correction]!));
    this.#unions.set(key, number);
    return number;
  }

  /** Number of groups without a survivor under a correction. */
  lost(correction: number): number {
    return this.#sizes().reduce(
      (sum, groups, pattern) => sum + (this.#patterns[pattern]![correction] === 0 ? groups : 0),
      0,
    );
  }

  /** Number of groups by pattern number. */
  #sizes(): number[] {
    const sizes = this.#patterns.map(() => 0);
    for (const map of this.#closed) for (const pattern of map.values()) sizes[pattern]!++;
    return sizes;
  }

  merge(other: GroupSurvivors): void {
    const numbers = other.#patterns.map((pattern) => this.#numberPattern(pattern));
    for (const map of other.#closed) for (const [hash, pattern] of map) this.#add(hash, numbers[pattern]!);
  }

  encode(to: ByteWriter): void {
    const groups = this.#closed.flatMap((map) => [...map]).sort(([a], [b]) => a - b);
    const numbers = new Map<number, number>();
    for (const [, pattern] of groups) if (!numbers.has(pattern)) numbers.set(pattern, numbers.size);
    to.whole(numbers.size);
    for (const pattern of numbers.keys()) to.bits(this.#patterns[pattern]!);
    to.ascending(groups.map(([hash]) => hash));
    for (const [, pattern] of groups) to.whole(numbers.get(pattern)!);
  }

  /** Adds what `encode` wrote. @throws FormatError if the bytes are not that */
  mergeFrom(from: ByteReader): void {
    const numbers = Array.from({ length: from.count() }, () =>
      this.#numberPattern(from.bits(this.#corrections)),
    );
    for (const hash of from.ascending()) this.#add(hash, numbers[from.below(numbers.length, "a pattern")]!);
  }
}
