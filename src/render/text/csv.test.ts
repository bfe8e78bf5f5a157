import { expect, it } from "vitest";
import { csvLine } from "./csv.ts";

it.each([
  [["-0.5", "+1e-3", ".5", "-1.", -2, -Infinity], "-0.5,+1e-3,.5,-1.,-2,-Infinity\r\n"],
  [
    ["=1+1", "+cmd|' /C calc'!A0", "-1+1", "@SUM(A1)", "\t=1"],
    "'=1+1,'+cmd|' /C calc'!A0,'-1+1,'@SUM(A1),'\t=1\r\n",
  ],
  [["\r=1", 'a "b", c', "two\nlines"], '"\'\r=1","a ""b"", c","two\nlines"\r\n'],
  [[null, undefined, "", Number.NaN, true, [1, "x"]], ',,"",NaN,true,"[1,""x""]"\r\n'],
])("%j is %j", (cells, line) => {
  expect(csvLine(cells)).toBe(line);
});
