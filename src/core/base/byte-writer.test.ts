import { expect, it } from "vitest";
import { ByteWriter } from "./byte-writer.ts";

it("writes all NaN alike, whatever their bits", () => {
  const wide = new Float64Array(new BigUint64Array([0xfff8000000000000n, 0x7ff8000000000001n]).buffer);
  const narrow = new Float32Array(new Uint32Array([0xffc00000, 0x7fc00001]).buffer);
  const write = (float: number, float32: number): Uint8Array => {
    const to = new ByteWriter();
    to.float(float);
    to.floats([float]);
    to.plainFloat(float);
    to.plainFloat32(float32);
    to.measured([float, float32]);
    return to.finish();
  };
  const wanted = write(Number.NaN, Number.NaN);
  for (const i of [0, 1]) expect(write(wide[i]!, narrow[i]!)).toEqual(wanted);
});
