import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { IngestGate } from "./ingest-gate.ts";
import { readBody } from "./read-body.ts";

function body(): PassThrough & IncomingMessage {
  return new PassThrough() as unknown as PassThrough & IncomingMessage;
}

it("reads what comes, and its digest", async () => {
  const incoming = body();
  const reading = readBody(incoming, 6);
  incoming.write("abc");
  incoming.end("def");
  const { pieces, sha256 } = await reading;
  expect(Buffer.concat(pieces).toString()).toBe("abcdef");
  expect(sha256).toBe(createHash("sha256").update("abcdef").digest("hex"));
});

it("gives up a body that stops, ends early, goes on, or goes away", async () => {
  const slow = body();
  slow.write("abc");
  await expect(readBody(slow, 6, { idleMs: 20 })).rejects.toMatchObject({
    reason: "slow",
    message: "nothing received for 0.02 s: 3 of 6 bytes",
  });
  const short = body();
  short.end("abc");
  await expect(readBody(short, 6)).rejects.toMatchObject({
    reason: "gone",
    message: "3 of 6 bytes received",
  });
  const long = body();
  long.end("abcdefg");
  await expect(readBody(long, 6)).rejects.toMatchObject({ reason: "longer" });
  const gone = body();
  const reading = readBody(gone, 6);
  gone.destroy();
  await expect(reading).rejects.toMatchObject({ reason: "gone" });
});

it("lets in what there is room for, and one batch always", () => {
  const gate = new IngestGate(1 << 20);
  const first = gate.enter(1 << 21)!;
  expect(gate.enter(1)).toBeUndefined();
  first.leave();
  first.leave();
  expect(gate.bytes).toBe(0);
  const many = Array.from({ length: 20 }, () => gate.enter(1));
  expect(many.filter((one) => one !== undefined)).toHaveLength(16);
});

it("ends bodies that arrive slowly when another needs their room, and only then", async () => {
  const gate = new IngestGate(1 << 20);
  const bytes = 1 << 19;
  const [slow, quick] = [gate.enter(bytes, 0)!, gate.enter(bytes, 0)!];
  const incoming = body();
  const reading = readBody(incoming, bytes, { arriving: slow });
  const ended = expect(reading).rejects.toMatchObject({
    reason: "slow",
    message: `too slow while others wait: 3 of ${bytes} bytes received`,
  });
  quick.onEvicted = () => expect.unreachable("it is quick enough");
  quick.received = bytes - 1;
  incoming.write("abc");
  await new Promise((resolve) => setImmediate(resolve));
  expect([slow.received, gate.enter(bytes, 1000)]).toEqual([3, undefined]);
  expect(gate.enter(bytes, 7000)).toBeDefined();
  await ended;
  slow.leave();
  expect(gate.bytes).toBe(1 << 20);
});
