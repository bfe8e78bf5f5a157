import { expect, test } from "vitest";
import { madeTable } from "../../../../../src/analyses/filter/made-table.test-data.ts";
import { inNextStep, neighbour, orderAround } from "./order.ts";

const table = madeTable([{ step: 10 }, { step: 10 }, { step: 20 }, { step: 20 }, { step: 30 }, {}]);
const rows = Uint32Array.of(3, 1, 4, 2, 5);

test("neighbors are those in the list, and there are none beyond its ends", () => {
  expect(neighbour(orderAround(table, rows, 4), 1)).toBe(2);
  expect(neighbour(orderAround(table, rows, 4), -1)).toBe(1);
  expect(neighbour(orderAround(table, rows, 3), -1)).toBeUndefined();
  expect(neighbour(orderAround(table, rows, 5), 1)).toBeUndefined();
});

test("a sequence that is not in the list is followed by the list's first", () => {
  const order = orderAround(table, rows, 0);
  expect(order.at).toBe(-1);
  expect(neighbour(order, 1)).toBe(3);
  expect(neighbour(order, -1)).toBeUndefined();
});

test("the next step is the nearest in the list, entered at its first sequence", () => {
  const order = orderAround(table, rows, 1);
  expect(inNextStep(order, 1, 1)).toBe(3);
  expect(inNextStep(order, 2, 1)).toBe(4);
  expect(inNextStep(order, 4, -1)).toBe(3);
  expect(inNextStep(order, 4, 1)).toBeUndefined();
  expect(inNextStep(order, 5, 1)).toBeUndefined();
});
