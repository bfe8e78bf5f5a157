/**
 * Pickles split into opcodes and reassembled differently.
 *
 * @module
 */

import { text } from "../../src/input/readers/shared/pickle-writer.test-data.ts";
import { float, int, long } from "../hostile/pickle-parts.ts";
import { damage, NAMES, NUMBERS, type Random, TEXTS } from "./random.ts";

/** Bytes of the argument after an opcode; 0 for opcodes not listed. */
const FIXED: Readonly<Record<string, number>> = {
  "\x80": 1,
  "\x95": 8,
  G: 8,
  J: 4,
  K: 1,
  M: 2,
  q: 1,
  h: 1,
  r: 4,
  j: 4,
};
const COUNTED: Readonly<Record<string, number>> = {
  "\x8c": 1,
  U: 1,
  C: 1,
  "\x8a": 1,
  X: 4,
  B: 4,
  T: 4,
  "\x8b": 4,
  "\x8d": 8,
  "\x8e": 8,
  "\x96": 8,
};

export function splitOpcodes(bytes: Uint8Array): Uint8Array[] {
  const source = Buffer.from(bytes);
  const opcodes: Uint8Array[] = [];
  for (let at = 0; at < source.length; ) {
    const name = String.fromCharCode(source[at]!);
    let end = at + 1 + (FIXED[name] ?? 0);
    const width = COUNTED[name];
    if (width !== undefined) end = at + 1 + width + source.readUIntLE(at + 1, Math.min(6, width));
    if (name === "c") end = source.indexOf(10, source.indexOf(10, at) + 1) + 1;
    if (end <= at) throw new Error("this pickle is damaged as it is");
    // A STOP is followed by nothing, by the next pickle of a legacy torch file, or by its storages.
    if (name === "." && end < source.length && source[end] !== 0x80) {
      opcodes.push(source.subarray(at));
      break;
    }
    opcodes.push(source.subarray(at, end));
    at = end;
  }
  return opcodes;
}

const CALLS = [
  "builtins\nlist",
  "builtins\ndict",
  "builtins\nset",
  "builtins\ngetattr",
  "os\nsystem",
  "torch._utils\n_rebuild_tensor_v2",
  "torch._utils\n_rebuild_parameter",
  "torch\nSize",
  "torch\nFloatStorage",
  "torch\nLongStorage",
  "collections\nOrderedDict",
  "numpy.core.multiarray\n_reconstruct",
  "numpy\nndarray",
  "numpy\ndtype",
  "numpy._core.multiarray\nscalar",
  "tensordict\nTensorDict",
  "tensordict._reductions\n_make_td",
  "tensordict._reductions\n_rebuild_tensordict_files_consolidated",
  "tensordict.tensorclass\nNonTensorStack",
  "torch.nested._internal.nested_tensor\n_rebuild_njt",
  "torch.storage\n_load_from_bytes",
  "_io\nBytesIO",
  "_codecs\nencode",
  "verl.protocol\nDataProto",
  "__proto__\nconstructor",
  "toString\nvalueOf",
  "a.b\nC",
  "\n",
];
/** Opcodes of every kind: stack, containers, calls, memo. */
const PLAIN = "(]})lt.0123\x85\x86\x87\x88\x89NueasRbQ\x81\x92\x93\x94\x8f\x90\x91\x97\x98d";

function opcode(random: Random): Uint8Array {
  switch (random.below(6)) {
    case 0:
      return text(random.pick(TEXTS));
    case 1:
      return Buffer.from(`c${random.pick(CALLS)}\n`);
    case 2: {
      const value = random.pick(NUMBERS);
      return Number.isInteger(value) && Math.abs(value) < 2 ** 62 && random.chance(0.7)
        ? Math.abs(value) < 2 ** 31
          ? int(value)
          : long(BigInt(value))
        : float(value);
    }
    case 3:
      return Buffer.of(random.chance(0.5) ? 0x68 : 0x71, random.below(40));
    default:
      return Buffer.of(PLAIN.charCodeAt(random.below(PLAIN.length)));
  }
}

/** A replacement for an opcode: usually of the same kind, so that the stack still fits. */
function replaced(random: Random, was: Uint8Array): Uint8Array {
  const name = String.fromCharCode(was[0]!);
  if ("X\x8c".includes(name)) return text(random.pick(random.chance(0.7) ? NAMES : TEXTS));
  if (name === "c") return Buffer.from(`c${random.pick(CALLS)}\n`);
  if ("KMJG\x8a".includes(name)) {
    const value = random.pick(NUMBERS);
    if (random.chance(0.3) || !Number.isInteger(value))
      return random.chance(0.5) ? float(value) : int(random.below(12));
    return Math.abs(value) < 2 ** 31 ? int(value) : float(value);
  }
  if ("h".includes(name)) return Buffer.of(0x68, random.below(64));
  if (name === "t\x85\x86\x87"[0]) return Buffer.from(random.pick(["t", "l", "d"]));
  return opcode(random);
}

export function mutatePickle(random: Random, bytes: Uint8Array): Uint8Array {
  if (random.chance(0.1)) return damage(random, bytes);
  const opcodes = splitOpcodes(bytes).filter(([code]) => code !== 0x95);
  for (let i = 1 + random.below(3); i > 0; i--) {
    const at = random.below(opcodes.length);
    const kind = random.below(10);
    if (kind === 0) opcodes.splice(at, 1);
    else if (kind === 1) opcodes.splice(at, 0, opcode(random));
    else if (kind === 2) {
      const [from, count] = [random.below(opcodes.length), 1 + random.below(8)];
      opcodes.splice(at, 0, ...opcodes.slice(from, from + count));
    } else opcodes[at] = replaced(random, opcodes[at]!);
  }
  return Buffer.concat(opcodes);
}
