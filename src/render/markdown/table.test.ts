import { expect, it } from "vitest";
import type { Table } from "../document/table.ts";
import { tableBlock } from "./table.ts";

const TABLE: Table = {
  title: "By step",
  rows: 1,
  columns: [
    { header: "step", cells: ["30"], align: "right", priority: 1 },
    { header: "file", cells: ["a|b"], align: "left", priority: 2 },
    { header: "k1", cells: ["0"], align: "right", priority: 4 },
  ],
} as unknown as Table;
const ROWS = "| step | file |\n| ---: | --- |\n| 30 | a\\|b |";

it("stands under its title and note, without the columns that nobody needs", () => {
  expect(tableBlock(TABLE, 3)).toBe(`**By step**\n\n${ROWS}`);
  expect(tableBlock({ ...TABLE, note: "in nats" }, 3)).toBe(`**By step**\n\nin nats\n\n${ROWS}`);
});

it("stands alone where it has no title", () => {
  expect(tableBlock({ ...TABLE, title: "" }, 3)).toBe(ROWS);
});
