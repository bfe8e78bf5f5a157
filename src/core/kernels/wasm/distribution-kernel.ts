import { DISTRIBUTION_WASM } from "./distribution.generated.ts";
import { DISTRIBUTION_RELAXED_WASM } from "./distribution-relaxed.generated.ts";
import { decodeBase64, webAssembly } from "./kernel.ts";

/** The exports of assembly/distribution.ts. */
export interface DistributionExports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  /** 1 in the build with relaxed SIMD. */
  readonly RELAXED: { readonly value: number };
  readonly BLOCK: { readonly value: number };
  readonly MEMORY_START: { readonly value: number };
  readonly SLACK: { readonly value: number };
  readonly ROW_RECORD: { readonly value: number };
  readonly PAIR_RECORD: { readonly value: number };
  readonly GROUP: { readonly value: number };
  startRow(list: number, k: number): void;
  topCount(): number;
  largerCount(): number;
  lowestLogit(): number;
  furthestRatio(): number;
  describe(
    format: number,
    raw: number,
    row: number,
    exps: number,
    keep: number,
    from: number,
    to: number,
    actual: number,
    records: number,
  ): void;
  boundBelow(row: number, columns: number): void;
  compare(
    p: number,
    q: number,
    exps: number,
    columns: number,
    shift: number,
    rest: number,
    exact: number,
    uncertain: number,
    scratch: number,
    records: number,
  ): void;
}

/** Addresses of the kernel's inputs and outputs, multiples of 16. */
export interface DistributionLayout {
  readonly list: number;
  readonly scratch: number;
  /** Exponentials of one block, for rows that do not keep theirs. */
  readonly blockExps: number;
  /** Blocks' records: of P's row, of Q's row, of the columns that only one of them has, of their comparison. */
  readonly pRecords: number;
  readonly qRecords: number;
  readonly otherRecords: number;
  readonly pairRecords: number;
  readonly p: number;
  readonly q: number;
  readonly exps: number;
  /** 16-bit logits of one row. */
  readonly raw: number;
}

/** The kernel, with memory laid out for rows of a given width. */
export interface DistributionKernel {
  readonly exports: DistributionExports;
  /** Columns of one block. */
  readonly block: number;
  /** Lays memory out for rows of up to `columns`, and lists of up to `k`; about 14 bytes a column. */
  reserve(columns: number, k: number): void;
  layout(): DistributionLayout;
  /** Views of all of the memory, valid until the next `reserve`. */
  views(): MemoryViews;
}

export interface MemoryViews {
  readonly float32: Float32Array;
  readonly float64: Float64Array;
  readonly int32: Int32Array;
  readonly uint16: Uint16Array;
}

const PAGE = 65_536;

let kernel: DistributionKernel | undefined;
let failed = false;

/** Compiles the kernel without blocking; see `initKernels` of `kernel.ts`. @returns whether it runs here */
export async function initDistributionKernel(): Promise<boolean> {
  if (kernel) return true;
  try {
    const { instance } = await webAssembly().instantiate(supportedBuild());
    kernel ??= wrapDistributionKernel(instance.exports as DistributionExports);
    return true;
  } catch {
    failed = true;
    return false;
  }
}

/** The kernel, compiled on first use; undefined if it cannot run. */
export function distributionKernel(): DistributionKernel | undefined {
  if (kernel || failed) return kernel;
  try {
    const { Module, Instance } = webAssembly();
    const { exports } = new Instance(new Module(supportedBuild()));
    kernel = wrapDistributionKernel(exports as DistributionExports);
  } catch {
    failed = true;
  }
  return kernel;
}

/** The build with relaxed SIMD if the runtime has it. */
function supportedBuild(): Uint8Array {
  const relaxed = decodeBase64(DISTRIBUTION_RELAXED_WASM);
  return webAssembly().validate(relaxed) ? relaxed : decodeBase64(DISTRIBUTION_WASM);
}

function wrapDistributionKernel(exports: DistributionExports): DistributionKernel {
  const { memory } = exports;
  let widest = -1;
  let longest = -1;
  let layout: DistributionLayout | undefined;
  let views = openViews(memory.buffer);

  const reserve = (columns: number, k: number): void => {
    if (columns <= widest && k <= longest) return;
    widest = Math.max(widest, columns);
    longest = Math.max(longest, k);
    const block = exports.BLOCK.value;
    // Every write of whole vectors ends within SLACK values of the row; one more SLACK holds reads past its end.
    const width = widest + 2 * exports.SLACK.value;
    const blocks = Math.ceil(width / block) + 1;
    const rowRecords = blocks * exports.ROW_RECORD.value;
    let end = exports.MEMORY_START.value;
    const take = (bytes: number): number => {
      const start = end;
      end += Math.ceil(bytes / 16) * 16;
      return start;
    };
    layout = {
      list: take(longest * 8),
      scratch: take(exports.GROUP.value),
      blockExps: take(block * 4),
      pRecords: take(rowRecords),
      qRecords: take(rowRecords),
      otherRecords: take(rowRecords),
      pairRecords: take(blocks * exports.PAIR_RECORD.value),
      p: take(width * 4),
      q: take(width * 4),
      exps: take(width * 4),
      raw: take(width * 2),
    };
    const missing = end - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
    views = openViews(memory.buffer);
  };
  reserve(exports.BLOCK.value, 0);

  return {
    exports,
    block: exports.BLOCK.value,
    reserve,
    layout: () => layout!,
    views: () => views,
  };
}

function openViews(buffer: ArrayBuffer): MemoryViews {
  return {
    float32: new Float32Array(buffer),
    float64: new Float64Array(buffer),
    int32: new Int32Array(buffer),
    uint16: new Uint16Array(buffer),
  };
}
