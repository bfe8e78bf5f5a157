import { expect, it } from "vitest";
import { reuseMemory } from "./reused-memory.ts";

const LARGE = 2 ** 20;

it("lends the same memory block after block, and to the next once it is released", () => {
  const first = reuseMemory();
  const { buffer } = first.allocate(LARGE);
  expect(first.allocate(LARGE - 1).buffer).toBe(buffer);
  expect(first.allocate(LARGE - 1)).toHaveLength(LARGE - 1);
  expect(reuseMemory().allocate(LARGE).buffer).not.toBe(buffer);
  first.release();
  const next = reuseMemory();
  expect(next.allocate(LARGE).buffer).toBe(buffer);
  expect(next.allocate(LARGE).byteOffset).toBe(0);
  // A larger block takes other memory and leaves this to others.
  expect(next.allocate(2 * LARGE).buffer).not.toBe(buffer);
  expect(reuseMemory().allocate(LARGE).buffer).toBe(buffer);
});

it("takes the smallest memory that is large enough", () => {
  const [large, small] = [reuseMemory(), reuseMemory()];
  const bytes = 3 * LARGE;
  large.allocate(2 * bytes);
  const { buffer } = small.allocate(bytes);
  small.release();
  large.release();
  expect(reuseMemory().allocate(bytes - 1).buffer).toBe(buffer);
});

it.each([2 ** 16 - 1, 2 ** 25 + 1])("does not keep memory of %i bytes", (length) => {
  const memory = reuseMemory();
  const { buffer } = memory.allocate(length);
  memory.release();
  expect(memory.allocate(length).buffer).not.toBe(buffer);
});

it("keeps 48 MiB in all", () => {
  const lent = Array.from({ length: 3 }, () => reuseMemory());
  const buffers = lent.map(({ allocate }) => allocate(2 ** 24 + 2 ** 16).buffer);
  for (const { release } of lent) release();
  const again = lent.map(({ allocate }) => allocate(2 ** 24 + 2 ** 16).buffer);
  expect(again.filter((buffer) => buffers.includes(buffer))).toHaveLength(2);
});
