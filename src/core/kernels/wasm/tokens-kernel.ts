import { decodeBase64, webAssembly } from "./kernel.ts";
import { TOKENS_WASM } from "./tokens.generated.ts";

/** Cells of a sketch in the kernel's form. */
export interface CountedCells {
  /**
   * Upper bits of float32 values in ascending order, and how many finite values have them: views that are valid until
   * cells are listed again.
   */
  readonly list: () => { readonly cells: Uint32Array; readonly counts: Uint32Array };
  /** By threshold: number of values in its cell that lie beyond it. */
  readonly beyond: Uint32Array;
  /** Least and greatest finite value; +Infinity and -Infinity if there are none. */
  readonly extremes: Float32Array;
}

/** Sums of groups of tokens, one row per group. */
export interface CountedGroups {
  /** Ascending; only groups with tokens. */
  readonly groups: Int32Array;
  readonly tokens: Float64Array;
  /** `[rows × 3]`: Σ Δ, Σ |Δ|, Σ k3. */
  readonly sums: Float64Array;
  /** max |Δ|. */
  readonly largest: Float32Array;
}

/** The exports of assembly/tokens.ts, with addresses as views. */
export interface TokensKernel {
  /** Tokens per chunk. */
  readonly chunk: number;
  /** Token ids from here on are handled by the driver. */
  readonly mostIds: number;
  /** Sketches of Δ in wide cells; the one after the last takes everything else. */
  readonly sketches: number;
  readonly deltaIn: Float32Array;
  readonly probDiffIn: Float32Array;
  readonly k3In: Float32Array;
  readonly indexIn: Int32Array;
  readonly turnIn: Int32Array;
  readonly rolloutIn: Float32Array;
  readonly idIn: Int32Array;
  readonly edgesIn: Float32Array;
  /** Pairs: magnitude and sign of each threshold, as bits. */
  readonly thresholdsIn: Uint32Array;
  readonly listed: Int32Array;
  /** `[deciles × 2]`: tokens and Σ|Δ|. */
  readonly rowDeciles: Float64Array;
  /** `[turns × 3]`: tokens, Σ|Δ|, Σ(ρ − 1). */
  readonly rowTurns: Float64Array;
  /** Move sums out of the kernel: views that are valid until groups are taken again. */
  readonly takeDeciles: () => CountedGroups;
  readonly takeBuckets: () => CountedGroups;
  /** Takes a chunk of the ids sorted by `sortIds`, from number `from` on. */
  readonly takeIds: (from: number) => CountedGroups;
  /** How many ids have sums. */
  readonly sortIds: () => number;
  /** Sketches of all Δ and of all Δp, with 10 bits of the mantissa. */
  readonly deltas: CountedCells;
  readonly probDiffs: CountedCells;
  /** `[sketches + 1]`, with 7 bits of the mantissa. */
  readonly wideSketches: readonly CountedCells[];
  readonly listCells: (sketch: number) => number;
  readonly countTurns: () => number;
  readonly countJumps: () => number;
  readonly clearGroups: () => void;
  readonly clearSketches: () => void;
  readonly uniteDeltaPages: () => void;
  readonly clearRow: () => void;
  readonly resumeRow: (turns: number, jumps: number) => void;
  readonly beginPiece: (count: number) => void;
  readonly firstPosition: (count: number) => number;
  readonly lastPosition: (count: number) => number;
  readonly findGroups: (count: number, base: number, hasIds: number, inOrder: number) => number;
  readonly list: (count: number, low: number, high: number) => number;
  readonly endOfTurn: (from: number, to: number) => number;
  readonly addRow: (from: number, count: number, start: number, length: number) => number;
  readonly addDeltas: (from: number, to: number, sketch: number) => void;
  readonly addProbDiffs: (count: number) => void;
}

const FUNCTIONS = [
  "listCells",
  "sortIds",
  "countTurns",
  "countJumps",
  "clearGroups",
  "clearSketches",
  "uniteDeltaPages",
  "clearRow",
  "resumeRow",
  "beginPiece",
  "firstPosition",
  "lastPosition",
  "findGroups",
  "list",
  "endOfTurn",
  "addRow",
  "addDeltas",
  "addProbDiffs",
] as const;

let kernel: TokensKernel | undefined;
let failed = false;

/** Like `initKernels` of the fused pass. */
export async function initTokensKernel(): Promise<boolean> {
  if (kernel) return true;
  try {
    const { instance } = await webAssembly().instantiate(decodeBase64(TOKENS_WASM));
    kernel ??= wrapKernel(instance.exports as Exports);
    return true;
  } catch {
    failed = true;
    return false;
  }
}

/**
 * The kernel for sums by token, compiled on first use; undefined if it cannot run. There is a single instance, whose
 * memory holds the sums of one batch at a time.
 */
export function tokensKernel(): TokensKernel | undefined {
  if (kernel || failed) return kernel;
  try {
    const { Module, Instance } = webAssembly();
    kernel = wrapKernel(new Instance(new Module(decodeBase64(TOKENS_WASM))).exports as Exports);
  } catch {
    failed = true;
  }
  return kernel;
}

type Exports = Record<string, { readonly value: number }> & {
  readonly memory: { readonly buffer: ArrayBuffer };
} & Pick<TokensKernel, (typeof FUNCTIONS)[number]> & {
    readonly [Name in "takeDeciles" | "takeBuckets" | "takeIds"]: (
      ...from: Parameters<TokensKernel[Name]>
    ) => number;
  };

function wrapKernel(exports: Exports): TokensKernel {
  const { buffer } = exports.memory;
  const read = (name: string): number => exports[name]!.value;
  const chunk = read("CHUNK");
  const [thresholds, sketches] = [read("THRESHOLDS"), read("SKETCHES")];
  const floats = (name: string): Float32Array => new Float32Array(buffer, read(name), chunk);
  const integers = (name: string): Int32Array => new Int32Array(buffer, read(name), chunk);
  const mostRows = read("ROWS");
  const groupsTaken = new Int32Array(buffer, read("GROUPS_TAKEN"), mostRows);
  const tokensTaken = new Float64Array(buffer, read("TOKENS_TAKEN"), mostRows);
  const sumsTaken = new Float64Array(buffer, read("SUMS_TAKEN"), 3 * mostRows);
  const largestTaken = new Float32Array(buffer, read("LARGEST_TAKEN"), mostRows);
  const taken = (rows: number): CountedGroups => ({
    groups: groupsTaken.subarray(0, rows),
    tokens: tokensTaken.subarray(0, rows),
    sums: sumsTaken.subarray(0, 3 * rows),
    largest: largestTaken.subarray(0, rows),
  });
  const mostCells = 2 ** (32 - read("FINE_SHIFT"));
  const cellsListed = new Uint32Array(buffer, read("CELLS_LISTED"), mostCells);
  const countsListed = new Uint32Array(buffer, read("COUNTS_LISTED"), mostCells);
  const cells = (sketch: number): CountedCells => ({
    list() {
      const size = exports.listCells(sketch);
      return { cells: cellsListed.subarray(0, size), counts: countsListed.subarray(0, size) };
    },
    beyond: new Uint32Array(buffer, read("BEYOND") + sketch * thresholds * 4, thresholds),
    extremes: new Float32Array(buffer, read("EXTREMES") + sketch * 8, 2),
  });
  return {
    chunk,
    mostIds: read("MOST_IDS"),
    sketches,
    deltaIn: floats("DELTA_IN"),
    probDiffIn: floats("PROB_DIFF_IN"),
    k3In: floats("K3_IN"),
    indexIn: integers("INDEX_IN"),
    turnIn: integers("TURN_IN"),
    rolloutIn: floats("ROLLOUT_IN"),
    idIn: integers("ID_IN"),
    edgesIn: new Float32Array(buffer, read("EDGES_IN"), read("EDGES")),
    thresholdsIn: new Uint32Array(buffer, read("THRESHOLDS_IN"), 2 * thresholds),
    listed: integers("LISTED"),
    rowDeciles: new Float64Array(buffer, read("ROW_DECILES"), 2 * read("DECILES")),
    rowTurns: new Float64Array(buffer, read("ROW_TURNS"), 3 * read("TURNS")),
    takeDeciles: () => taken(exports.takeDeciles()),
    takeBuckets: () => taken(exports.takeBuckets()),
    takeIds: (from) => taken(exports.takeIds(from)),
    deltas: cells(read("FINE_DELTAS")),
    probDiffs: cells(read("FINE_PROB_DIFFS")),
    wideSketches: Array.from({ length: sketches + 1 }, (_, sketch) => cells(sketch)),
    ...(Object.fromEntries(FUNCTIONS.map((name) => [name, exports[name]])) as Pick<
      TokensKernel,
      (typeof FUNCTIONS)[number]
    >),
  };
}
