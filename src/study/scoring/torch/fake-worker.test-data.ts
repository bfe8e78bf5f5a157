import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";

/**
 * A program in place of Python: it introduces itself as the worker does and then runs `body` for each request, with
 * `request` (its header), `send(header, arrays)` and `fs` in scope. The frames are written here a second time, from the
 * documentation, so that both sides cannot be wrong in the same way. It exists until the test ends.
 */
export function writeFakePython(body: string, hello = "{ hello: 'fake', protocol: 1 }"): string {
  const file = join(temporaryFolder("fake-python-"), "python");
  const script = `#!${process.execPath}
const fs = require("node:fs");
const send = (header, arrays = {}) => {
  let offset = 0;
  const places = {}, parts = [];
  for (const [name, values] of Object.entries(arrays)) {
    const integer = name === "ranks" || name.endsWith("ids");
    const bytes = Buffer.alloc(Math.ceil((values.length * (integer ? 4 : 8)) / 8) * 8);
    values.forEach((value, i) => (integer ? bytes.writeInt32LE(value, 4 * i) : bytes.writeDoubleLE(value, 8 * i)));
    places[name] = { dtype: integer ? "int32" : "float64", shape: [values.length], offset };
    parts.push(bytes);
    offset += bytes.length;
  }
  const head = Buffer.from(JSON.stringify({ ...header, arrays: places }));
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32LE(head.length, 0);
  lengths.writeUInt32LE(offset, 4);
  fs.writeSync(1, Buffer.concat([lengths, head, ...parts]));
};
const facts = { vocabulary: 10, context: 64, stop_ids: [2], architecture: "Fake", notes: ["A fake."] };
let held = Buffer.alloc(0);
process.stdin.on("data", (chunk) => {
  held = Buffer.concat([held, chunk]);
  while (held.length >= 8) {
    const head = held.readUInt32LE(0), size = 8 + head + held.readUInt32LE(4);
    if (held.length < size) return;
    const request = JSON.parse(held.subarray(8, 8 + head).toString());
    held = held.subarray(size);
    const answer = (header = {}) => send({ request: request.request, done: true, ...header });
    ${body}
  }
});
process.stdin.on("end", () => process.exit(0));
const hello = ${hello};
if (hello) send(hello);
`;
  writeFileSync(file, script);
  chmodSync(file, 0o755);
  return file;
}
