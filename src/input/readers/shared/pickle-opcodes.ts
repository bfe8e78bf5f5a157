import { FormatError, LimitError, UnsupportedError } from "../../../core/base/index.ts";
import { LIKELY_CRAFTED } from "../../io/advice.ts";
import { MAX_PICKLE_INT_BYTES } from "../../io/limits.ts";
import { buildState, callGlobal, findGlobal, newObject } from "./pickle-calls.ts";
import { appendNumber, appendNumberBatches, appendValue, longValue, takesNumbers } from "./pickle-numbers.ts";
import {
  corrupt,
  countContainer,
  type Machine,
  memoGet,
  memoPut,
  place,
  pop,
  popMark,
  push,
  spend,
  take,
  takeLength8,
  top,
  topList,
} from "./pickle-stack.ts";
import { isPy, type PyValue, pyDict, pyList } from "./pickle-values.ts";

type Opcode = (machine: Machine) => void;

/** By opcode byte. The names are those of Python's `pickletools`. */
export const OPCODES: readonly (Opcode | undefined)[] = buildTable({
  // PROTO
  128: (m) => {
    const version = m.bytes[take(m, 1)]!;
    if (version > 5)
      throw new UnsupportedError(`pickle protocol ${version} is not read; 2 to 5 are`, { at: place(m) });
  },
  // FRAME: the length of a part that a stream reader may fetch at once; here all bytes are in memory.
  149: (m) => void take(m, 8),
  // STOP
  46: (m) => {
    m.finished = true;
  },
  // MARK
  40: (m) => {
    const list = topList(m);
    if (list !== undefined && takesNumbers(list)) {
      const end = appendNumberBatches(list, m.bytes, m.view, m.pos, (bytes) => spend(m, bytes));
      if (end > 0) {
        m.pos = end;
        return;
      }
    }
    m.marks.push(m.stack.length);
  },
  // POP: takes a MARK off if that is on top
  48: (m) => {
    if (m.marks.at(-1) === m.stack.length) m.marks.pop();
    else pop(m, "POP");
  },
  // POP_MARK
  49: (m) => void popMark(m, "POP_MARK"),
  // DUP
  50: (m) => push(m, top(m, "DUP")),

  // NONE, NEWTRUE, NEWFALSE
  78: (m) => push(m, null),
  136: (m) => push(m, true),
  137: (m) => push(m, false),
  // BININT, BININT1, BININT2
  74: (m) => number(m, m.view.getInt32(take(m, 4), true), false),
  75: (m) => number(m, m.bytes[take(m, 1)]!, false),
  77: (m) => number(m, m.view.getUint16(take(m, 2), true), false),
  // LONG1, LONG4
  138: (m) => long(m, m.bytes[take(m, 1)]!),
  139: (m) => long(m, m.view.getInt32(take(m, 4), true)),
  // BINFLOAT
  71: (m) => number(m, m.view.getFloat64(take(m, 8)), true),

  // BINUNICODE, SHORT_BINUNICODE, BINUNICODE8
  88: (m) => push(m, text(m, m.view.getUint32(take(m, 4), true))),
  140: (m) => push(m, text(m, m.bytes[take(m, 1)]!)),
  141: (m) => push(m, text(m, takeLength8(m))),
  // BINBYTES, SHORT_BINBYTES, BINBYTES8, BYTEARRAY8
  66: (m) => push(m, bytes(m, m.view.getUint32(take(m, 4), true))),
  67: (m) => push(m, bytes(m, m.bytes[take(m, 1)]!)),
  142: (m) => push(m, bytes(m, takeLength8(m))),
  150: (m) => push(m, bytes(m, takeLength8(m))),

  // EMPTY_LIST, APPEND, APPENDS, LIST
  93: (m) => push(m, countContainer(m, pyList())),
  97: (m) => {
    const value = pop(m, "APPEND");
    extend(m, top(m, "APPEND"), [value], "APPEND");
  },
  101: (m) => {
    const values = popMark(m, "APPENDS");
    extend(m, top(m, "APPENDS"), values, "APPENDS");
  },
  108: (m) => push(m, countContainer(m, { kind: "list", run: undefined, items: popMark(m, "LIST") })),
  // EMPTY_TUPLE, TUPLE, TUPLE1, TUPLE2, TUPLE3
  41: (m) => tuple(m, []),
  116: (m) => tuple(m, popMark(m, "TUPLE")),
  133: (m) => tuple(m, [pop(m, "TUPLE1")]),
  134: (m) => {
    const second = pop(m, "TUPLE2");
    tuple(m, [pop(m, "TUPLE2"), second]);
  },
  135: (m) => {
    const third = pop(m, "TUPLE3");
    const second = pop(m, "TUPLE3");
    tuple(m, [pop(m, "TUPLE3"), second, third]);
  },
  // EMPTY_DICT, SETITEM, SETITEMS, DICT
  125: (m) => push(m, countContainer(m, pyDict())),
  115: (m) => {
    const value = pop(m, "SETITEM");
    const key = pop(m, "SETITEM");
    assign(m, top(m, "SETITEM"), [key, value], "SETITEM");
  },
  117: (m) => {
    const pairs = popMark(m, "SETITEMS");
    assign(m, top(m, "SETITEMS"), pairs, "SETITEMS");
  },
  100: (m) => {
    const dict = countContainer(m, pyDict());
    assign(m, dict, popMark(m, "DICT"), "DICT");
    push(m, dict);
  },
  // EMPTY_SET, ADDITEMS, FROZENSET
  143: (m) => push(m, countContainer(m, { kind: "set", items: [] })),
  144: (m) => {
    const values = popMark(m, "ADDITEMS");
    const set = top(m, "ADDITEMS");
    if (!isPy(set, "set")) throw corrupt(m, "ADDITEMS", "a set");
    for (const value of values) set.items.push(value);
  },
  145: (m) => push(m, countContainer(m, { kind: "set", items: popMark(m, "FROZENSET") })),

  // BINPUT, LONG_BINPUT, MEMOIZE, BINGET, LONG_BINGET
  113: (m) => memoPut(m, m.bytes[take(m, 1)]!, top(m, "BINPUT")),
  114: (m) => memoPut(m, m.view.getUint32(take(m, 4), true), top(m, "LONG_BINPUT")),
  148: (m) => memoPut(m, m.memoized, top(m, "MEMOIZE")),
  104: (m) => push(m, memoGet(m, m.bytes[take(m, 1)]!)),
  106: (m) => push(m, memoGet(m, m.view.getUint32(take(m, 4), true))),

  // GLOBAL, STACK_GLOBAL, INST
  99: (m) => {
    const module = line(m);
    push(m, findGlobal(m, module, line(m)));
  },
  147: (m) => {
    const name = pop(m, "STACK_GLOBAL");
    const module = pop(m, "STACK_GLOBAL");
    if (typeof name !== "string" || typeof module !== "string")
      throw corrupt(m, "STACK_GLOBAL", "two strings");
    push(m, findGlobal(m, module, name));
  },
  105: (m) => {
    const module = line(m);
    const callee = findGlobal(m, module, line(m));
    push(m, callGlobal(m, callee, popMark(m, "INST")));
  },
  // REDUCE, OBJ, NEWOBJ, NEWOBJ_EX, BUILD
  82: (m) => {
    const args = pop(m, "REDUCE");
    if (!isPy(args, "tuple")) throw corrupt(m, "REDUCE", "a tuple of arguments");
    push(m, callGlobal(m, pop(m, "REDUCE"), args.items));
  },
  111: (m) => {
    const [callee, ...args] = popMark(m, "OBJ");
    push(m, callGlobal(m, callee, args));
  },
  129: (m) => {
    const args = pop(m, "NEWOBJ");
    push(m, newObject(m, pop(m, "NEWOBJ"), args, undefined));
  },
  146: (m) => {
    const keywords = pop(m, "NEWOBJ_EX");
    const args = pop(m, "NEWOBJ_EX");
    push(m, newObject(m, pop(m, "NEWOBJ_EX"), args, keywords));
  },
  98: (m) => {
    const state = pop(m, "BUILD");
    buildState(m, top(m, "BUILD"), state);
  },
  // BINPERSID
  81: (m) => {
    const id = pop(m, "BINPERSID");
    const resolve = m.environment.persistent;
    if (resolve === undefined) {
      throw new UnsupportedError("pickle refers to external objects (BINPERSID)", {
        at: place(m),
        hint: "save tensors with torch.save",
      });
    }
    push(m, resolve(id, place(m)));
  },
  // EXT1, EXT2, EXT4: codes of a registry that only the writing program has
  130: extension,
  131: extension,
  132: extension,
  // NEXT_BUFFER, READONLY_BUFFER
  151: outOfBand,
  152: outOfBand,
});

function buildTable(opcodes: Readonly<Record<number, Opcode>>): (Opcode | undefined)[] {
  return Array.from({ length: 256 }, (_, code) => opcodes[code]);
}

function number(m: Machine, value: number, float: boolean): void {
  // `number APPEND` onto a list of numbers: the last item of a list whose length is one more than whole batches.
  const list = m.bytes[m.pos] === 0x61 ? topList(m) : undefined;
  if (list !== undefined && takesNumbers(list)) {
    appendNumber(list, value, float);
    m.pos++;
  } else m.stack.push(value);
}

function long(m: Machine, length: number): void {
  if (length < 0) throw corrupt(m, "LONG4", "a length that is not negative");
  if (length > MAX_PICKLE_INT_BYTES) {
    throw new LimitError(`pickle holds an int of ${length} bytes; at most ${MAX_PICKLE_INT_BYTES} are read`, {
      at: place(m),
      likely: LIKELY_CRAFTED,
    });
  }
  number(m, longValue(m.bytes, take(m, length), length), false);
}

function text(m: Machine, length: number): string {
  const start = take(m, length);
  // Two bytes per character if one of them is not Latin-1.
  spend(m, 2 * length);
  return m.bytes.toString("utf8", start, m.pos);
}

function bytes(m: Machine, length: number): Uint8Array {
  const start = take(m, length);
  m.environment.budget.expandable = true;
  // A copy would double large arrays; the pickle's bytes live as long as the views on them.
  return new Uint8Array(m.bytes.buffer, m.bytes.byteOffset + start, length);
}

/** The operand of GLOBAL and INST: text up to a line feed. */
function line(m: Machine): string {
  const end = m.bytes.indexOf(0x0a, m.pos);
  if (end < 0) throw new FormatError("pickle is cut off: a name has no line end", { at: place(m) });
  const start = m.pos;
  m.pos = end + 1;
  return m.bytes.toString("utf8", start, end);
}

function tuple(m: Machine, items: PyValue[]): void {
  push(m, countContainer(m, { kind: "tuple", items }));
}

function extend(m: Machine, target: PyValue, values: readonly PyValue[], opcode: string): void {
  if (isPy(target, "list")) for (const value of values) appendValue(target, value);
  else if (isPy(target, "recorded")) for (const value of values) target.items.push(value);
  else throw corrupt(m, opcode, "a list");
}

function assign(m: Machine, target: PyValue, pairs: readonly PyValue[], opcode: string): void {
  if (!isPy(target, "dict") && !isPy(target, "recorded")) throw corrupt(m, opcode, "a dict");
  if (pairs.length % 2 !== 0) throw corrupt(m, opcode, "a value for each key");
  for (let i = 0; i < pairs.length; i += 2) {
    target.keys.push(pairs[i]!);
    target.values.push(pairs[i + 1]!);
  }
}

function extension(m: Machine): never {
  throw new UnsupportedError("pickle uses an extension code (copyreg.add_extension)", {
    at: place(m),
    hint: "save plain data: tensors, lists and dicts",
  });
}

function outOfBand(m: Machine): never {
  throw new UnsupportedError("pickle keeps its buffers externally (protocol 5, buffer_callback)", {
    at: place(m),
    hint: "save it without buffer_callback",
  });
}
