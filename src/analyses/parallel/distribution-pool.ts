import { availableParallelism } from "node:os";
import { type ComparedRows, compareRows, describeRows } from "../../core/kernels/distribution/index.ts";
import type { DistributionRows, LogitBlock } from "../../core/kernels/index.ts";
import { joinDistributions, joinDivergences } from "./join-distributions.ts";
import type { DistributionPart, DistributionReply, DistributionTask } from "./messages.ts";
import { cutRows, emptySlot, type SharedSlot, sharedBlocks } from "./shared-rows.ts";
import { startThread, type Thread, workerFile } from "./thread.ts";

/** Figures of rows of logits, bit-identical to those of `describeRows` and `compareRows`. */
export interface DistributionPool {
  /** Worker threads besides the calling one; 0 if everything runs there. */
  readonly threads: number;
  /** @throws like `describeRows` */
  describe(block: LogitBlock, tokens: Int32Array, k: number): Promise<DistributionRows>;
  /** @throws like `compareRows` */
  compare(p: LogitBlock, q: LogitBlock, tokens: Int32Array, k: number): Promise<ComparedRows>;
  /** Ends the threads. Pending calls are rejected. */
  close(): Promise<void>;
}

/**
 * If blocks are not in shared memory yet, the calling thread copies all rows; more threads would have to wait for it.
 */
const MOST_THREADS = 4;
/** Columns that a thread takes at a time: at least half a millisecond of work, so that the overhead is negligible. */
const STEP_COLUMNS = 2 ** 19;

/**
 * Worker threads over rows of logits, started on first use. All threads, including the calling one, take rows of the
 * same block until none is left, so that they wait for each other only at the end. Blocks outside shared memory are
 * copied into it. If worker files cannot be started, the calling thread does everything.
 *
 * @param threads including the calling one; default one per processor, at most four
 */
export function createDistributionPool(
  threads: number = Math.min(availableParallelism(), MOST_THREADS),
): DistributionPool {
  const url = workerFile("distribution-worker");
  const pool = url === undefined || threads <= 1 ? undefined : startPool(threads - 1, url);
  return {
    threads: pool?.threads ?? 0,
    async describe(block, tokens, k) {
      const step = stepOf([block], tokens);
      if (pool === undefined || step === undefined) return describeRows(block, tokens, k);
      const parts = await pool.work({ blocks: [block], tokens, k, step });
      return joinDistributions(parts.map(({ own }) => own));
    },
    async compare(p, q, tokens, k) {
      const step = stepOf([p, q], tokens);
      if (pool === undefined || step === undefined) return compareRows(p, q, tokens, k);
      const parts = await pool.work({ blocks: [p, q], tokens, k, step });
      const compared = parts.map(({ other }) => other!);
      return {
        p: joinDistributions(parts.map(({ own }) => own)),
        q: joinDistributions(compared.map((other) => other.q)),
        divergences: joinDivergences(compared.map((other) => other.divergences)),
      };
    },
    close: async () => pool?.close(),
  };
}

/** Takes rows, on any thread, until none is left. */
export function takeRows({ blocks: [p, q], tokens, k, step, next }: DistributionTask): DistributionReply {
  const parts: DistributionPart[] = [];
  for (;;) {
    const from = Atomics.add(next, 0, step);
    if (from >= p.rows) return parts;
    const to = Math.min(from + step, p.rows);
    const own = cutRows(p, from, to);
    const asked = tokens.subarray(from, to);
    if (q === undefined) parts.push({ from, to, own: describeRows(own, asked, k) });
    else {
      const { p: described, ...other } = compareRows(own, cutRows(q, from, to), asked, k);
      parts.push({ from, to, own: described, other });
    }
  }
}

/** Rows to take at a time; undefined if one thread should handle the block, such as one that the kernel will refuse. */
function stepOf([p, q]: DistributionTask["blocks"], tokens: Int32Array): number | undefined {
  const fits = (block: LogitBlock): boolean =>
    block.rows === tokens.length && block.values.length === block.rows * block.vocabulary;
  if (!fits(p) || (q !== undefined && !fits(q))) return undefined;
  const step = Math.max(1, Math.floor(STEP_COLUMNS / (p.vocabulary + (q?.vocabulary ?? 0))));
  return step < p.rows ? step : undefined;
}

function startPool(threads: number, url: URL) {
  const team: Thread<DistributionTask, DistributionReply>[] = [];
  const slots: SharedSlot[] = [];
  let closed = false;
  const start = (): void => {
    const thread: Thread<DistributionTask, DistributionReply> = startThread(url, () => {
      const index = team.indexOf(thread);
      if (index >= 0) team.splice(index, 1);
    });
    team.push(thread);
  };
  return {
    threads,
    /** Figures of all rows, in order. */
    async work(request: Omit<DistributionTask, "next">): Promise<DistributionPart[]> {
      if (closed) throw new Error("the pool is closed");
      while (team.length < threads) start();
      const slot = slots.pop() ?? emptySlot();
      const next = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
      const task = { ...request, blocks: sharedBlocks(request.blocks, slot), next };
      const replies = team.map((thread) => thread.ask(task));
      // If this fails, other threads may still be reading the slot, so it is not used again.
      const parts = await allRows(task.blocks[0].rows, [
        ...replies,
        Promise.resolve().then(() => takeRows(task)),
      ]);
      slots.push(slot);
      return parts;
    },
    async close(): Promise<void> {
      closed = true;
      await Promise.all(team.map((thread) => thread.close()));
    },
  };
}

/** Waits for all rows, but not for threads that took none: one may still be starting. */
function allRows(rows: number, replies: readonly Promise<DistributionReply>[]): Promise<DistributionPart[]> {
  const parts: DistributionPart[] = [];
  let missing = rows;
  return new Promise((resolve, reject) => {
    for (const reply of replies) {
      reply.then((own) => {
        parts.push(...own);
        for (const { from, to } of own) missing -= to - from;
        if (missing === 0) resolve(parts.sort((a, b) => a.from - b.from));
      }, reject);
    }
  });
}
