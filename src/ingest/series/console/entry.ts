import { toLogged } from "../series.ts";

/** The metrics that a program printed at once. */
export interface ConsoleEntry {
  /** Undefined if it was printed without one; such entries are counted. */
  readonly step: number | undefined;
  readonly values: readonly (readonly [metric: string, value: number])[];
  /** Number of its first line, from 1. */
  readonly line: number;
  /** Lines that continue it because something broke it. */
  readonly joined: number;
  /** The metric whose value is cut off, or may be; it is not among `values`. */
  readonly cut: string | undefined;
}

/** How a kind of program prints its metrics. */
export interface ConsoleEntries {
  readonly entries: readonly ConsoleEntry[];
  /** Lines of metrics that belong to no step, because the line with their step is cut off. */
  readonly strays: readonly number[];
}

/** A printed number; NumPy 2 and PyTorch write the type around it: `np.float64(0.5)`, `tensor(0.5, device='cuda:0')`. */
export function readPrinted(text: string): number | undefined {
  const bare = /^(?:np\.\w+|tensor)\(([^,)]*)(?:,[^)]*)?\)$/.exec(text)?.[1] ?? text;
  return toLogged(bare.replace(/^(['"])(.*)\1$/, "$2"));
}
