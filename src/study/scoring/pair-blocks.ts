import { cutRows } from "../../analyses/parallel/index.ts";
import { FormatError } from "../../core/base/index.ts";
import type { LogitBlock } from "../../core/kernels/index.ts";

/**
 * Blocks of several policies for the same rows, cut to equal numbers of rows. Nothing is copied: each block is a view
 * of its policy's block, valid until the next is requested.
 *
 * @throws FormatError when one policy's rows end before another's
 */
export async function* alignBlocks(
  streams: readonly AsyncIterable<LogitBlock>[],
): AsyncGenerator<readonly LogitBlock[]> {
  const iterators = streams.map((stream) => stream[Symbol.asyncIterator]());
  try {
    let held: (LogitBlock | undefined)[] = iterators.map(() => undefined);
    while (true) {
      held = await Promise.all(held.map((block, i) => block ?? nextBlock(iterators[i]!)));
      const ended = held.filter((block) => block === undefined).length;
      if (ended === held.length) return;
      if (ended > 0) {
        throw new FormatError("one policy returned fewer rows of logits than another for the same text", {
          likely: "its model or file was exported for shorter texts",
        });
      }
      const blocks = held as LogitBlock[];
      const rows = Math.min(...blocks.map((block) => block.rows));
      yield blocks.map((block) => cutRows(block, 0, rows));
      held = blocks.map((block) => (block.rows === rows ? undefined : cutRows(block, rows, block.rows)));
    }
  } finally {
    await Promise.all(iterators.map((iterator) => iterator.return?.()));
  }
}

async function nextBlock(iterator: AsyncIterator<LogitBlock>): Promise<LogitBlock | undefined> {
  while (true) {
    const { done, value } = await iterator.next();
    if (done) return undefined;
    if (value.rows > 0) return value;
  }
}
