import { availableParallelism } from "node:os";
import {
  checkedRows,
  type MismatchOptions,
  type MismatchTable,
  mismatchSums,
  type TokenBlock,
} from "../../core/kernels/index.ts";
import { joinTables } from "./join-tables.ts";
import type { MismatchReply, MismatchTask } from "./messages.ts";
import { emptySlot, type SharedSlot, sharedRows } from "./shared-rows.ts";
import { startThread, type Thread, workerFile } from "./thread.ts";

/** What `mismatchSums` takes, but for the sink: tokens do not cross threads. */
export type PoolOptions = Omit<MismatchOptions, "sink">;

export interface MismatchPool {
  /** Worker threads; 0 when everything runs in the calling thread. */
  readonly threads: number;
  /**
   * As `mismatchSums`: the rows bit for bit, the turns up to the order in which rows are added. Columns in
   * SharedArrayBuffers are read in place; others are copied piece by piece.
   */
  sums(block: TokenBlock, options?: PoolOptions): Promise<MismatchTable>;
  /** Ends the threads. Pending calls are rejected. */
  close(): Promise<void>;
}

/** Blocks of fewer tokens are summed in the calling thread: that takes a few milliseconds. */
const SMALL = 2 ** 18;
/** Tokens of one task: hand-over is small beside the work, and copies stay in the cache. */
const TASK = 2 ** 17;
/** Tasks that a thread may have: one at work, one waiting, one being copied. */
const SLOTS = 3;

/**
 * Worker threads that sum large blocks, started on first use. With `threads` 0 or 1, or where worker files cannot be
 * started (TypeScript sources run through a loader), everything runs in the calling thread.
 */
export function createMismatchPool(
  threads: number = availableParallelism(),
  url: URL | undefined = workerFile("mismatch-worker"),
): MismatchPool {
  if (threads <= 1 || url === undefined) {
    return {
      threads: 0,
      sums: async (block, options) => mismatchSums(block, options),
      close: async () => {},
    };
  }
  return startPool(threads, url);
}

interface Member {
  readonly thread: Thread<MismatchTask, MismatchReply>;
  readonly freeSlots: SharedSlot[];
}

function startPool(threads: number, url: URL): MismatchPool {
  const team: Member[] = [];
  let closed = false;
  /** Callers that wait for a thread with a free slot. */
  const waiting: (() => void)[] = [];

  const start = (): void => {
    const member: Member = {
      thread: startThread(url, () => {
        const index = team.indexOf(member);
        if (index >= 0) team.splice(index, 1);
        for (const resume of waiting.splice(0)) resume();
      }),
      freeSlots: Array.from({ length: SLOTS }, emptySlot),
    };
    team.push(member);
  };

  /** A slot of the thread that has most of them, once there is one. */
  const reserve = async (): Promise<[Member, SharedSlot]> => {
    for (;;) {
      if (closed) throw new Error("the pool is closed");
      while (team.length < threads) start();
      const idlest = team.reduce((a, b) => (b.freeSlots.length > a.freeSlots.length ? b : a));
      const slot = idlest.freeSlots.pop();
      if (slot) return [idlest, slot];
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
    }
  };

  const send = async (
    [{ thread, freeSlots }, slot]: [Member, SharedSlot],
    block: TokenBlock,
    [from, to]: readonly [number, number],
    { turns = true, engine = "wasm" }: PoolOptions,
  ): Promise<MismatchTable> => {
    try {
      return await thread.ask({ block: sharedRows(block, from, to, slot), turns, engine });
    } finally {
      freeSlots.push(slot);
      waiting.shift()?.();
    }
  };

  return {
    threads,
    async sums(block, options = {}) {
      const { rowStart, rowEnd } = checkedRows(block, options);
      const tokens = block.offsets[rowEnd]! - block.offsets[rowStart]!;
      if (tokens < SMALL || block.turnMask !== undefined) return mismatchSums(block, options);
      const tables: Promise<MismatchTable>[] = [];
      for (const rows of splitRanges(block.offsets, rowStart, rowEnd, TASK)) {
        const table = send(await reserve(), block, rows, options);
        // Reported where all are awaited; until then it must not count as unhandled.
        table.catch(() => {});
        tables.push(table);
      }
      return joinTables(await Promise.all(tables));
    },
    async close() {
      closed = true;
      await Promise.all(team.map(({ thread }) => thread.close()));
      for (const resume of waiting.splice(0)) resume();
    },
  };
}

/** Consecutive ranges of rows of about `size` tokens each. */
function* splitRanges(
  offsets: Int32Array,
  rowStart: number,
  rowEnd: number,
  size: number,
): Generator<readonly [from: number, to: number]> {
  for (let from = rowStart; from < rowEnd; ) {
    let to = from + 1;
    while (to < rowEnd && offsets[to + 1]! - offsets[from]! <= size) to++;
    yield [from, to];
    from = to;
  }
}
