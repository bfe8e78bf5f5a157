/**
 * Torch archives and pickles.
 *
 * @module
 */
import type { HostileFile } from "./hostile-file.ts";
import {
  assemble,
  dict,
  int,
  laughs,
  list,
  type Piece,
  pickle,
  repeated,
  tensor,
  text,
  torchArchive,
  tuple,
  writeGlobal,
} from "./pickle-parts.ts";

const FLOATS = (count: number): Uint8Array =>
  new Uint8Array(Float32Array.from({ length: count }, () => -1).buffer);

function makeArchive(body: Piece, storages: Readonly<Record<string, Uint8Array>> = {}): Uint8Array {
  return torchArchive(pickle(body), storages);
}

/** verl's names, all over the same storage. */
function batch(shape: readonly number[], strides: readonly number[]): Uint8Array {
  const one = tensor({ key: "0", held: 4, shape, strides });
  const body = dict([
    ["rollout_log_probs", one],
    ["old_log_probs", one],
    ["response_mask", one],
  ]);
  return makeArchive(body, { 0: FLOATS(4) });
}

const named = (module: string, name: string): HostileFile => ({
  name: `names-${module}-${name}.pt`.replaceAll(/[^\w.-]/g, "_"),
  make: () => makeArchive(dict([["rollout_log_probs", assemble(writeGlobal(module, name), ")R")]])),
  expect: { exit: 3, says: /error: (found )?no (rollout and trainer )?log-probs|refused to run/ },
});

export const HOSTILE_TORCH: readonly HostileFile[] = [
  named("constructor", "prototype"),
  named("__proto__", "constructor"),
  named("toString", "call"),
  named("os", "system"),
  {
    name: "stride-0.pt",
    make: () => batch([30_000, 30_000], [0, 0]),
    expect: { exit: 3, says: /repeat stored values/ },
  },
  {
    name: "stride-0-wide-row.pt",
    make: () => batch([1, 2 ** 31 - 1], [0, 0]),
    expect: { exit: 3, says: /repeat stored values/ },
  },
  {
    name: "stride-0-many-rows.pt",
    make: () => batch([2 ** 31 - 1, 1], [0, 0]),
    expect: { exit: 3, says: /repeat stored values/ },
  },
  {
    name: "300000-tensors.pt",
    make: () => {
      const one = tensor({ key: "0", held: 4, shape: [2, 2], strides: [2, 1] });
      return makeArchive(dict(Array.from({ length: 300_000 }, (_, i) => [`t${i}`, one])), { 0: FLOATS(4) });
    },
    expect: { exit: 3, says: /no (rollout and trainer )?log-probs|tensors/ },
  },
  {
    name: "300000-tensors-of-a-sample.pt",
    make: () => {
      const one = tensor({ key: "0", held: 4, shape: [4], strides: [1] });
      const many = list(repeated(one, 300_000));
      const body = dict([
        ["rollout_log_probs", many],
        ["old_log_probs", many],
      ]);
      return makeArchive(body, { 0: FLOATS(4) });
    },
    expect: { exit: 3, says: /would take .* MiB decoded/ },
  },
  {
    name: "billion-laughs.pt",
    make: () => makeArchive(dict([["rollout_log_probs", laughs(10, 10)]])),
    expect: { exit: 3, says: /unfolds to .* values/ },
  },
  {
    name: "million-laughs.pt",
    make: () =>
      makeArchive(
        dict([
          ["rollout_log_probs", laughs(6, 10)],
          ["old_log_probs", laughs(6, 10)],
        ]),
      ),
    expect: { exit: 3, says: /unfolds to .* values|log-probs/ },
  },
  {
    name: "laughing-numbers.pt",
    make: () => {
      const numbers = list(repeated(int(7), 1000));
      const body = laughs(4, 12, numbers);
      return makeArchive(
        dict([
          ["rollout_log_probs", body],
          ["old_log_probs", body],
        ]),
      );
    },
    expect: { exit: 3, says: /unfolds to .* values|log-probs/ },
  },
  {
    name: "empty-lists.pkl",
    make: () => pickle("](", repeated("]", 9_000_000), "e"),
    expect: { exit: 3, says: /MiB|at most|not read/ },
  },
  {
    name: "empty-lists.pt",
    make: () => makeArchive(assemble("](", repeated("]", 9_000_000), "e")),
    expect: { exit: 3, says: /would take .* MiB/ },
  },
  {
    name: "pairs.pt",
    make: () => makeArchive(assemble("](", repeated("K\x01K\x02\x86", 3_000_000), "e")),
    expect: { exit: 3, says: /would take .* MiB/ },
  },
  {
    name: "nones.pt",
    make: () => makeArchive(assemble("](", repeated("N", 60_000_000), "e")),
    expect: { exit: 3, says: /would take .* MiB/ },
  },
  {
    name: "numbers.pt",
    make: () => makeArchive(assemble("](", repeated("K\x01", 100_000_000), "K\x01", "e")),
    expect: { exit: 3, says: /no rollout and trainer/ },
  },
  {
    name: "deep.pt",
    make: () => makeArchive(assemble(repeated("]", 1_000_000), repeated("a", 999_999))),
    expect: { exit: 3, says: /nested deeper|would take .* MiB/ },
  },
  {
    name: "memo.pt",
    make: () => makeArchive(assemble("]", repeated("\x94", 30_000_000))),
    expect: { exit: 3, says: /memo slot 16777216; at most 16777216 are kept/ },
  },
  {
    name: "marks.pt",
    make: () => makeArchive(repeated("(", 60_000_000)),
    expect: { exit: 3, says: /would take .* MiB|cut off|corrupt/ },
  },
  {
    name: "list-of-a-list.pt",
    // Each builtins.list(…) copies the list before it, so the cost is a sum of squares.
    make: () => {
      const start = list(repeated(int(1), 100_000));
      const copies = assemble("0", writeGlobal("builtins", "list"), "h\x00\x85R");
      return makeArchive(assemble(start, "q\x00", repeated(copies, 20_000)));
    },
    expect: { exit: 3, says: /would take .* MiB|found no log-probs/ },
  },
  {
    name: "one-key-many-times.pt",
    make: () => makeArchive(assemble("}(", repeated("K\x01N", 4_000_000), "u")),
    expect: { exit: 3, says: /would take .* MiB|found no log-probs/ },
  },
  {
    name: "proto-keys.pt",
    make: () =>
      makeArchive(
        dict([
          ["__proto__", dict([["rollout_log_probs", list(int(1))]])],
          ["constructor", text("x")],
          ["toString", tuple(int(1))],
        ]),
      ),
    expect: { exit: 3, says: /no (rollout and trainer )?log-probs/ },
  },
];
