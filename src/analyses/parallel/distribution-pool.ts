import { availableParallelism } from "node:os";
import {
  type ComparedRows,
  compareRows,
  type DistributionRows,
  describeRows,
  type LogitBlock,
} from "../../core/kernels/index.ts";
import { joinDistributions, joinDivergences } from "./join-distributions.ts";
import type { DistributionReply, DistributionTask } from "./messages.ts";
import { cutRows, emptySlot, type SharedSlot, sharedBlocks } from "./shared-rows.ts";
import { startThread, type Thread, workerFile } from "./thread.ts";

/** Figures of rows of logits, as `describeRows` and `compareRows` give them, bit for bit. */
export interface DistributionPool {
  /** Worker threads beside the calling one; 0 when everything runs there. */
  readonly threads: number;
  /** @throws as `describeRows` */
  describe(block: LogitBlock, tokens: Int32Array, k: number): Promise<DistributionRows>;
  /** @throws as `compareRows` */
  compare(p: LogitBlock, q: LogitBlock, tokens: Int32Array, k: number): Promise<ComparedRows>;
  /** Ends the threads. Pending calls are rejected. */
  close(): Promise<void>;
}

/** Rows are copied to every thread by one, which more threads would wait for. */
const MOST_THREADS = 4;
/** Columns of one task: a millisecond or two, beside which handing it over is little. */
const TASK_COLUMNS = 2 ** 19;
/** Tasks that a thread may have: one at work, one waiting. */
const SLOTS = 2;

/**
 * Worker threads over rows of logits, started on first use. The calling thread works too: it copies rows to whichever
 * thread has room, and does others itself meanwhile. Where worker files cannot be started it does all.
 *
 * @param threads that work, the calling one among them; default: one per processor, at most four
 */
export function createDistributionPool(
  threads: number = Math.min(availableParallelism(), MOST_THREADS),
): DistributionPool {
  const url = workerFile("distribution-worker");
  const pool = url === undefined || threads <= 1 ? undefined : startPool(threads - 1, url);
  return {
    threads: pool?.threads ?? 0,
    async describe(block, tokens, k) {
      const parts = pool ? splitRows([block], tokens) : [];
      if (pool === undefined || parts.length <= 1) return describeRows(block, tokens, k);
      const replies = await pool.work(parts.map((part) => ({ ...part, k })));
      return joinDistributions(replies.map(({ own }) => own));
    },
    async compare(p, q, tokens, k) {
      const parts = pool ? splitRows([p, q], tokens) : [];
      if (pool === undefined || parts.length <= 1) return compareRows(p, q, tokens, k);
      const replies = await pool.work(parts.map((part) => ({ ...part, k })));
      const compared = replies.map(({ other }) => other!);
      return {
        p: joinDistributions(replies.map(({ own }) => own)),
        q: joinDistributions(compared.map((other) => other.q)),
        divergences: joinDivergences(compared.map((other) => other.divergences)),
      };
    },
    close: async () => pool?.close(),
  };
}

/** What a task says, in whichever thread. */
export function answerDistributions({ blocks, tokens, k }: DistributionTask): DistributionReply {
  const [p, q] = blocks;
  if (q === undefined) return { own: describeRows(p, tokens, k) };
  const { p: own, ...other } = compareRows(p, q, tokens, k);
  return { own, other };
}

type Part = Pick<DistributionTask, "blocks" | "tokens">;

function splitRows(blocks: DistributionTask["blocks"], tokens: Int32Array): Part[] {
  const [p, q] = blocks;
  // What does not fit is for the kernel to refuse, as a whole.
  const fits = (block: LogitBlock): boolean =>
    block.rows === tokens.length && block.values.length === block.rows * block.vocabulary;
  if (!fits(p) || (q !== undefined && !fits(q))) return [];
  const rows = Math.max(1, Math.floor(TASK_COLUMNS / (p.vocabulary + (q?.vocabulary ?? 0))));
  return Array.from({ length: Math.ceil(p.rows / rows) }, (_, i) => {
    const [from, to] = [i * rows, Math.min((i + 1) * rows, p.rows)];
    const first = cutRows(p, from, to);
    return {
      blocks: q === undefined ? [first] : [first, cutRows(q, from, to)],
      tokens: tokens.subarray(from, to),
    };
  });
}

interface Member {
  readonly thread: Thread<DistributionTask, DistributionReply>;
  readonly freeSlots: SharedSlot[];
}

function startPool(threads: number, url: URL) {
  const team: Member[] = [];
  let closed = false;
  const start = (): void => {
    const member: Member = {
      thread: startThread(url, () => {
        const index = team.indexOf(member);
        if (index >= 0) team.splice(index, 1);
      }),
      freeSlots: Array.from({ length: SLOTS }, emptySlot),
    };
    team.push(member);
  };
  const send = async ({ thread, freeSlots }: Member, slot: SharedSlot, task: DistributionTask) => {
    try {
      return await thread.ask({ ...task, blocks: sharedBlocks(task.blocks, slot) });
    } finally {
      freeSlots.push(slot);
    }
  };
  return {
    threads,
    /** Replies in the order of the tasks. */
    async work(tasks: readonly DistributionTask[]): Promise<DistributionReply[]> {
      if (closed) throw new Error("the pool is closed");
      while (team.length < threads) start();
      const replies: (DistributionReply | Promise<DistributionReply>)[] = [];
      for (const task of tasks) {
        const free = team.find(({ freeSlots }) => freeSlots.length > 0);
        if (free !== undefined) {
          const reply = send(free, free.freeSlots.pop()!, task);
          // Reported where all are awaited; until then it must not count as unhandled.
          reply.catch(() => {});
          replies.push(reply);
          continue;
        }
        replies.push(answerDistributions(task));
        // A turn of the event loop, in which replies arrive.
        await new Promise(setImmediate);
      }
      return Promise.all(replies);
    },
    async close(): Promise<void> {
      closed = true;
      await Promise.all(team.map(({ thread }) => thread.close()));
    },
  };
}
