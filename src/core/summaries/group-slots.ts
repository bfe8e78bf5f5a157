/**
 * Groups below this are in tables as long as the largest: nearly every vocabulary in use, and what the kernel's own table
 * has room for.
 */
export const DENSE_GROUPS = 2 ** 19;

/**
 * Consecutive slots for groups that are far apart: a few token ids far beyond the others must not make a table as long as
 * the largest of them.
 */
export class GroupSlots {
  readonly #slots = new Map<number, number>();
  readonly #groups: number[] = [];

  /** The groups in the order of their slots. */
  get groups(): readonly number[] {
    return this.#groups;
  }

  /** The slot of a group; undefined for one that has none. */
  find(group: number): number | undefined {
    return this.#slots.get(group);
  }

  /** The slot of a group, which gets the next one if it has none. */
  open(group: number): number {
    let slot = this.#slots.get(group);
    if (slot === undefined) {
      slot = this.#groups.length;
      this.#slots.set(group, slot);
      this.#groups.push(group);
    }
    return slot;
  }
}
