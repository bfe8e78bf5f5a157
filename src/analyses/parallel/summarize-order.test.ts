import { beforeEach, describe, expect, it } from "vitest";
import { recordBatch } from "../../../test/support/record-batch.ts";
import type { RecordBatch } from "../../core/schema/record.ts";
import { RunEvidence } from "../evidence/run-evidence.ts";
import type { SummaryReply, SummaryTask } from "./messages.ts";
import { takeEvidence } from "./moved-evidence.ts";
import { summarizeBatches } from "./summarize-batches.ts";
import { toBatch } from "./summary-columns.ts";
import type { Thread } from "./thread.ts";

/** Threads whose answers the tests give, in the order that they choose. */
interface Drawn {
  readonly evidence: RunEvidence;
  readonly rows: number[];
  readonly unanswered: { answer(): void; fail(error: Error): void }[];
  closed: boolean;
}
const team: Drawn[] = [];

function start(): Thread<SummaryTask, SummaryReply> {
  const drawn: Drawn = { evidence: new RunEvidence(), rows: [], unanswered: [], closed: false };
  team.push(drawn);
  return {
    ask: (task): Promise<SummaryReply> => {
      if (task !== "finish") drawn.rows.push(task.batch.rows[0]!);
      return new Promise((resolve, reject) => {
        const answer = (): void => {
          if (task !== "finish") drawn.evidence.add(toBatch(task.batch), undefined, task.number);
          resolve(task === "finish" ? takeEvidence(drawn.evidence) : null);
        };
        drawn.unanswered.push({ answer, fail: reject });
      });
    },
    close: async () => {
      drawn.closed = true;
    },
  };
}

const summarize = (batches: AsyncIterable<RecordBatch>): Promise<RunEvidence> =>
  summarizeBatches(batches, { threads: 2, smallTokens: 0 }, { url: new URL("file:///drawn.js"), start });

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

/** Batches of one row each, numbered; `pulled` counts those that were asked for. */
function numbered(count: number): { batches: AsyncGenerator<RecordBatch>; pulled: () => number } {
  let pulled = 0;
  const batches = (async function* () {
    for (let row = 0; row < count; row++) {
      pulled++;
      yield recordBatch([{ deltas: `0.${row + 1}`, row, step: row }], `${row}.npz`);
    }
  })();
  return { batches, pulled: () => pulled };
}

beforeEach(() => {
  team.length = 0;
});

describe("batches on their way to threads", () => {
  it("go to the threads in turn, two at a time for each, whoever answers first", async () => {
    const { batches, pulled } = numbered(11);
    const result = summarize(batches);
    await settled();
    expect(team.map(({ rows }) => rows)).toEqual([
      [0, 2],
      [1, 3],
    ]);
    // The fifth is read and waits for the thread whose turn it is, though the other has time.
    expect(pulled()).toBe(5);
    team[1]?.unanswered.shift()?.answer();
    await settled();
    expect(pulled()).toBe(5);
    team[0]?.unanswered.shift()?.answer();
    await settled();
    expect(team.map(({ rows }) => rows)).toEqual([
      [0, 2, 4],
      [1, 3, 5],
    ]);
    while (team.some(({ unanswered }) => unanswered.length > 0)) {
      for (const { unanswered } of team) unanswered.shift()?.answer();
      await settled();
    }
    const { summary } = await result;
    // Each thread's files come in the order of their names.
    const order = [0, 10, 2, 4, 6, 8, 1, 3, 5, 7, 9];
    expect([...summary.sequencesByFile.keys()]).toEqual(order.map((row) => `${row}.npz`));
    expect(summary.total.sequences.count).toBe(11);
    expect(team.every(({ closed }) => closed)).toBe(true);
  });

  it("fail with the error of the earliest batch, not with the one that is heard of first", async () => {
    const { batches, pulled } = numbered(20);
    const result = summarize(batches);
    const outcome = expect(result).rejects.toThrow("of batch 0");
    await settled();
    team[1]?.unanswered.shift()?.fail(new Error("of batch 1"));
    await settled();
    team[0]?.unanswered.shift()?.fail(new Error("of batch 0"));
    await settled();
    // What is under way is waited for: it might hold an earlier error.
    expect(team.some(({ closed }) => closed)).toBe(false);
    for (const { unanswered } of team) for (const { answer } of unanswered.splice(0)) answer();
    await outcome;
    expect(team.every(({ closed }) => closed)).toBe(true);
    expect(pulled()).toBe(5);
    await expect(batches.next()).resolves.toMatchObject({ done: true });
  });

  it("fail at the end too, when the last batches do", async () => {
    const result = summarize(numbered(3).batches);
    const outcome = expect(result).rejects.toThrow("a worker thread ended");
    await settled();
    team[1]?.unanswered.shift()?.fail(new Error("a worker thread ended with code 1"));
    for (const { answer } of team[0]?.unanswered.splice(0) ?? []) answer();
    await outcome;
    expect(team.every(({ closed }) => closed)).toBe(true);
  });
});
