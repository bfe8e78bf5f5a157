import { expect, test } from "vitest";
import type { BadRow, RowMap } from "../../io/columns.ts";
import { memorySource } from "../../io/file-source.ts";
import { openJsonl } from "./rows.ts";

const STREAM = [
  ": OPENROUTER PROCESSING",
  "",
  "event: message",
  'data: {"a": 1}',
  "",
  'data:{"a": 2}',
  "data:",
  "data: {oops",
  "",
  "data: [DONE]",
  "",
].join("\n");

async function readStream(
  text: string,
): Promise<{ rows: [RowMap, line: number, offset: number][]; bad: BadRow[] }> {
  const document = await openJsonl(memorySource("stream.txt", Buffer.from(text)));
  const rows: [RowMap, number, number][] = [];
  const bad: BadRow[] = [];
  for await (const chunk of document.chunks({ onBadRow: (row) => bad.push(row) })) {
    for (let i = 0; i < chunk.length; i++)
      rows.push([{ a: chunk.get(i, "a")! }, chunk.line!(i), chunk.offset!(i)]);
  }
  return { rows, bad };
}

test("server-sent events are rows: comments, names, blank lines and the end are none", async () => {
  const { rows, bad } = await readStream(STREAM);
  expect(rows).toEqual([
    [{ a: 1 }, 4, STREAM.indexOf('{"a": 1}')],
    [{ a: 2 }, 6, STREAM.indexOf('{"a": 2}')],
  ]);
  expect(bad.map(({ message, row, line }) => [message, row, line])).toEqual([
    ['byte 2 of the event: expected a name in quotes, found "o"', 2, 8],
  ]);
});

test("a stream that was cut off gives what came before", async () => {
  const { rows, bad } = await readStream('data: {"a": 1}\n\ndata: {"a": 2');
  expect(rows).toHaveLength(1);
  expect(bad.map(({ message }) => message)).toEqual([
    "the last event is cut off: 7 bytes without a closing brace",
  ]);
});

test("a line that is no field of an event is a row that cannot be read", async () => {
  const { rows, bad } = await readStream('data: {"a": 1}\nupstream timed out\n');
  expect([rows.length, bad.map(({ message }) => message)]).toEqual([
    1,
    ['byte 1 of the event: expected "{", found "u"'],
  ]);
});
