/**
 * Plain pickles, legacy torch files, and files of torch.save inside byte strings.
 *
 * @module
 */
import type { HostileFile } from "./hostile-file.ts";
import {
  assemble,
  dict,
  int,
  joined,
  laughs,
  list,
  type Piece,
  pickle,
  remember,
  remembered,
  repeated,
  tensor,
  text,
  torchArchive,
  tuple,
  uint32,
  writeGlobal,
} from "./pickle-parts.ts";

/** BINBYTES */
function bytes(value: Uint8Array): Uint8Array {
  return joined(["B", uint32(value.length), value]);
}

/** The three pickles before the object in a legacy file: magic number, version and machine. */
const LEGACY_HEAD = joined([
  Uint8Array.of(0x80, 2, 0x8a, 10, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19, 0x2e),
  pickle("M", Uint8Array.of(0xe9, 3)),
  pickle(dict([["little_endian", Uint8Array.of(0x88)]])),
]);

/** A storage that claims this many floats and has none. */
function legacyStorage(length: number): Uint8Array {
  const id = tuple(
    text("storage"),
    writeGlobal("torch", "FloatStorage"),
    text("0"),
    text("cpu"),
    int(length),
    "N",
  );
  return joined([LEGACY_HEAD, pickle(id, "Q"), pickle(list(text("0"))), new Uint8Array(8)]);
}

function loaded(value: Uint8Array): Uint8Array {
  return joined([writeGlobal("torch.storage", "_load_from_bytes"), bytes(value), Uint8Array.of(0x85), "R"]);
}

/** verl's DataProto around a batch. */
function dataProto(batch: Piece): Uint8Array {
  const state = tuple(batch, "}", "}");
  return pickle(writeGlobal("verl.protocol", "DataProto"), ")", Uint8Array.of(0x81), state, "b");
}

function nestedFiles(depth: number): Uint8Array {
  let inner: Uint8Array = torchArchive(pickle(int(1)));
  for (let level = 0; level < depth; level++) inner = torchArchive(pickle(bytes(inner)));
  return inner;
}

/** A jagged tensor whose rows start at `offsets`. */
function jagged(offsets: readonly number[]): Uint8Array {
  const values = tensor({ key: "0", held: 4, shape: [4], strides: [1] });
  const starts = tensor({
    key: "1",
    storage: "LongStorage",
    held: offsets.length,
    shape: [offsets.length],
    strides: [1],
  });
  const state = dict([
    ["values", values],
    ["offsets", starts],
    ["lengths", "N"],
    ["_ragged_idx", int(1)],
  ]);
  const rows = joined([
    writeGlobal("torch.nested._internal.nested_tensor", "_rebuild_njt"),
    state,
    Uint8Array.of(0x85),
    "R",
  ]);
  const body = dict([
    ["rollout_log_probs", rows],
    ["old_log_probs", rows],
    ["responses", rows],
  ]);
  return torchArchive(pickle(body), {
    0: new Uint8Array(Float32Array.of(-1, -2, -3, -4).buffer),
    1: new Uint8Array(BigInt64Array.from(offsets.map(BigInt)).buffer),
  });
}

/** A consolidated TensorDict that claims where its columns are within four bytes. */
function consolidated(shape: readonly number[], start: number): Uint8Array {
  const leaf = tuple(text("torch.float32"), list(...shape.map(int)), int(start), int(start + 4), int(0));
  const metadata = dict([
    ["cls", text("TensorDict")],
    ["non_tensors", "}"],
    [
      "leaves",
      dict([
        ["rollout_log_probs", leaf],
        ["old_log_probs", leaf],
      ]),
    ],
    ["cls_metadata", "}"],
  ]);
  const storage = tensor({ key: "0", storage: "ByteStorage", held: 4, shape: [4], strides: [1] });
  const call = joined([
    writeGlobal("tensordict._reductions", "_rebuild_tensordict_files_consolidated"),
    tuple(metadata, storage),
    "R",
  ]);
  return torchArchive(pickle(call), { 0: new Uint8Array(4) });
}

const REFUSED = /refused to run/;

export const HOSTILE_PICKLES: readonly HostileFile[] = [
  {
    name: "runs-a-command.pkl",
    make: () => pickle(writeGlobal("posix", "system"), tuple(text("touch /tmp/pwned")), "R"),
    expect: { exit: 3, says: REFUSED },
  },
  {
    name: "runs-a-command-inside.pkl",
    make: () => dataProto(bytes(torchArchive(pickle(writeGlobal("os", "system"), tuple(text("id")), "R")))),
    expect: { exit: 3, says: REFUSED },
  },
  {
    name: "runs-a-command-in-a-storage.pkl",
    make: () =>
      pickle(loaded(joined([LEGACY_HEAD, pickle(writeGlobal("builtins", "eval"), tuple(text("1")), "R")]))),
    expect: { exit: 3, says: REFUSED },
  },
  {
    name: "unknown-class.pkl",
    make: () => pickle(dict([["rollout_log_probs", joined([writeGlobal("a.b", "C"), ")R"])]])),
    expect: { exit: 3, says: /no rollout and trainer log-probs|log-probs/ },
  },
  {
    name: "refers-outside.pkl",
    make: () => pickle(text("s3://bucket/key"), "Q"),
    expect: { exit: 3, says: /external objects/ },
  },
  {
    name: "nested-files.pkl",
    make: () => pickle(dict([["rollout_log_probs", bytes(nestedFiles(40))]])),
    expect: { exit: 3, says: /are nested in each other more than 8 levels deep/ },
  },
  {
    name: "same-file-many-times.pkl",
    // One archive of a megabyte of lists, remembered and named a million times, must be read once.
    make: () => {
      const archive = torchArchive(pickle("](", repeated("]", 100_000), "e"));
      return pickle("](", bytes(archive), remember(0), repeated(remembered(0), 1_000_000), "e");
    },
    expect: { exit: 3, says: /unfolds to|would take|log-probs/ },
  },
  {
    name: "many-files.pkl",
    // Each of them is small and below the limit; all together are not.
    make: () => {
      const archive = bytes(torchArchive(pickle("](", repeated("]", 400_000), "e")));
      return pickle("](", repeated(archive, 100), "e");
    },
    expect: { exit: 3, says: /would take .* MiB/ },
  },
  {
    name: "encoded-again-and-again.pkl",
    make: () => {
      const once = joined([remembered(0), remembered(1), Uint8Array.of(0x86), "R"]);
      const encode = joined([writeGlobal("_codecs", "encode"), remember(2), "0"]);
      const again = joined([remembered(2), once]);
      return pickle(
        text("x".repeat(1_000_000)),
        remember(0),
        "0",
        text("latin1"),
        remember(1),
        "0",
        encode,
        "](",
        repeated(again, 20_000),
        "e",
      );
    },
    expect: { exit: 3, says: /would take .* MiB/ },
  },
  {
    name: "storage-within-storage.pkl",
    make: () => {
      let inner = legacyStorage(0);
      for (let level = 0; level < 30; level++)
        inner = joined([LEGACY_HEAD, pickle(loaded(inner)), pickle("]")]);
      return pickle(loaded(inner));
    },
    expect: { exit: 3, says: /are nested in each other more than 8 levels deep/ },
  },
  {
    name: "storage-of-2-billion.pkl",
    make: () => pickle(loaded(legacyStorage(2 ** 31 - 1))),
    expect: { exit: 3, says: /cut off: storage 0 needs 8589934588 bytes, found 0/ },
  },
  {
    name: "legacy-of-2-billion.pt",
    make: () => legacyStorage(2 ** 31 - 1),
    expect: { exit: 3, says: /cut off: storage 0 needs/ },
  },
  {
    name: "legacy-negative.pt",
    make: () => legacyStorage(-5),
    expect: { exit: 3, says: /torch storage 0 declares -5 elements/ },
  },
  {
    name: "laughs.pkl",
    make: () => pickle(laughs(10, 10)),
    expect: { exit: 3, says: /unfolds to .* values/ },
  },
  {
    name: "deep.pkl",
    make: () => pickle(repeated("]", 100_000), repeated("a", 99_999)),
    expect: { exit: 3, says: /nested deeper/ },
  },
  {
    name: "jagged-backwards.pt",
    make: () => jagged([0, 3, 1, 4]),
    expect: { exit: 3, says: /nested tensor's row 1 spans 3 to 1, but there are 4 values/ },
  },
  {
    name: "jagged-beyond.pt",
    make: () => jagged([0, 2, 2 ** 40]),
    expect: { exit: 3, says: /nested tensor's row 1 spans 2 to 1099511627776, but/ },
  },
  {
    name: "consolidated-beyond.pt",
    make: () => consolidated([1, 1], 4),
    expect: { exit: 3, says: /exceeds its storage/ },
  },
  {
    name: "consolidated-large.pt",
    make: () => consolidated([2 ** 30, 2 ** 30], 0),
    expect: { exit: 3, says: /at most .* are read|exceeds its storage/ },
  },
  {
    name: "consolidated-negative.pt",
    make: () => consolidated([1, 1], -4),
    expect: { exit: 3, says: /has no place for its column/ },
  },
  {
    name: "spelled-out.pkl",
    // A shape that does not fit its bytes: the bytes stay bytes.
    make: () =>
      pickle(
        dict([
          [
            "rollout_log_probs",
            dict([
              ["format", text("numpy")],
              ["data", bytes(new Uint8Array(8))],
              ["shape", tuple(int(2 ** 30), int(2 ** 30))],
              ["dtype", text("float32")],
            ]),
          ],
          ["old_log_probs", bytes(assemble("x"))],
        ]),
      ),
    expect: { exit: 3, says: /log-probs/ },
  },
];
