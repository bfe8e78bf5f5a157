import { expect, it } from "vitest";
import { type MessageError, messageLines } from "./message-lines.ts";

async function send(
  chunks: readonly (string | Buffer)[],
  mostBytes?: number,
): Promise<{ readonly passed: string; readonly errors: readonly MessageError[] }> {
  const errors: MessageError[] = [];
  const lines = messageLines((error) => errors.push(error), mostBytes);
  const passed: Buffer[] = [];
  lines.on("data", (chunk: Buffer) => passed.push(chunk));
  for (const chunk of chunks) lines.write(chunk);
  await new Promise<void>((resolve) => lines.end(resolve));
  return { passed: Buffer.concat(passed).toString("utf8"), errors };
}

const ping = (id: unknown): string => `${JSON.stringify({ jsonrpc: "2.0", id, method: "ping" })}\n`;

it("passes messages on, however they are cut", async () => {
  const text = `${ping(1)}${ping("Δ")}{"jsonrpc":"2.0","method":"notifications/x"}\r\n\n  \n`;
  const bytes = Buffer.from(text);
  for (const size of [1, 7, bytes.length]) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
      bytes.subarray(i * size, (i + 1) * size),
    );
    const { passed, errors } = await send(chunks);
    expect(errors).toEqual([]);
    expect(passed).toBe(text.replace(/\n\n {2}\n$/, "\n"));
  }
});

it.each([
  ["not json", -32700, null],
  ['{"jsonrpc":"2.0","id":3', -32700, null],
  ["\u0000", -32700, null],
  ["null", -32600, null],
  ["5", -32600, null],
  [`[${ping(1).trim()}]`, -32600, null],
  ['{"jsonrpc":"2.0","id":901}', -32600, 901],
  ['{"jsonrpc":"1.0","id":"a","method":"ping"}', -32600, "a"],
  ['{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}', -32600, null],
  ['{"jsonrpc":"2.0","id":4,"method":"ping","params":5}', -32600, 4],
])("answers %j with %i, and goes on", async (line, code, id) => {
  const { passed, errors } = await send([`${line}\n`, ping(2)]);
  expect(errors).toEqual([{ jsonrpc: "2.0", id, error: { code, message: expect.any(String) } }]);
  expect(passed).toBe(ping(2));
});

it("discards a line beyond the limit as it comes, says which request it was, and goes on", async () => {
  const long = `{"jsonrpc":"2.0","id":909,"method":"x","params":{"q":"${"a".repeat(5000)}"}}\n`;
  for (const size of [10, 900, long.length]) {
    const chunks = Array.from({ length: Math.ceil(long.length / size) }, (_, i) =>
      long.slice(i * size, (i + 1) * size),
    );
    const { passed, errors } = await send([...chunks, ping(1)], 1000);
    expect(errors).toEqual([
      {
        jsonrpc: "2.0",
        id: 909,
        error: { code: -32600, message: `the message has ${long.length - 1} bytes; the limit is 1000` },
      },
    ]);
    expect(passed).toBe(ping(1));
  }
});

it("does not take an id from the middle of a line that is too long", async () => {
  const { errors } = await send([`{"params":{"id":7},"q":"${"a".repeat(2000)}"}\n`], 1000);
  expect(errors).toMatchObject([{ id: null }]);
});
