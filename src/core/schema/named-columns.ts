import type { NumericArray } from "../base/arrays.ts";
import { dictionary } from "../base/dictionary.ts";
import type { PackedColumn } from "./packed-column.ts";

/** Packed columns of one kind by name, each created with the first draft that has it. */
export class NamedColumns<A> {
  readonly #create: () => PackedColumn<A>;
  readonly #columns = new Map<string, PackedColumn<A>>();

  constructor(create: () => PackedColumn<A>) {
    this.#create = create;
  }

  /** Copies values to positions from `at` on, if there are any. */
  put(name: string, at: number, values: NumericArray | undefined): void {
    if (values === undefined) return;
    let column = this.#columns.get(name);
    if (column === undefined) {
      // It starts at position 0 whatever `at` is: the column fills earlier positions as missing.
      column = this.#create();
      this.#columns.set(name, column);
    }
    column.put(at, values);
  }

  /** Takes one column as a property to spread into a batch; no property when no draft had it. */
  take<K extends string>(name: K, length: number): { [P in K]?: A } {
    const column = this.#columns.get(name);
    if (column === undefined) return {};
    this.#columns.delete(name);
    return { [name]: column.take(length) } as { [P in K]: A };
  }

  /** Takes all columns, for names that come from files. */
  takeAll(length: number): Record<string, A> {
    const all = dictionary<A>();
    for (const [name, column] of this.#columns) all[name] = column.take(length);
    this.#columns.clear();
    return all;
  }
}
