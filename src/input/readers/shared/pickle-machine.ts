import { FormatError, LimitError, memoryLimit, UnsupportedError } from "../../../core/base/index.ts";
import { LIKELY_CUT_OFF, LIKELY_DAMAGED } from "../../io/advice.ts";
import { MAX_PICKLE_BYTES, PICKLE_OPCODE_BYTES } from "../../io/limits.ts";
import { OPCODES } from "./pickle-opcodes.ts";
import { corrupt, type Machine, type PickleEnvironment, place, spend } from "./pickle-stack.ts";
import type { PyValue } from "./pickle-values.ts";

export interface Unpickled {
  readonly root: PyValue;
  /** Offset of the byte after the pickle's STOP. */
  readonly end: number;
}

/**
 * Runs a pickle of protocol 2 to 5 over values that stand for Python's. Nothing in it is executed: globals are looked
 * up by name, and calls make data or are refused.
 *
 * @throws FormatError if the bytes are not such a pickle, are cut off, or name a refused global
 * @throws LimitError if the values would take more than the memory limit
 * @throws UnsupportedError for protocols 0 and 1, out-of-band buffers, and classes that are known but not read
 */
export function runPickle(bytes: Uint8Array, environment: PickleEnvironment): Unpickled {
  const machine: Machine = {
    bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    environment,
    pos: 0,
    opStart: 0,
    stack: [],
    marks: [],
    memo: [],
    memoized: 0,
    limit: memoryLimit(),
    finished: false,
  };
  if (bytes.length > MAX_PICKLE_BYTES) {
    throw new LimitError(`pickle has ${bytes.length} bytes; at most ${MAX_PICKLE_BYTES} are read`, {
      needed: bytes.length,
      limit: MAX_PICKLE_BYTES,
      at: place(machine),
      hint: "save long lists of numbers as tensors",
    });
  }
  spend(machine, bytes.length);
  while (!machine.finished) {
    spend(machine, PICKLE_OPCODE_BYTES);
    machine.opStart = machine.pos;
    const code = machine.bytes[machine.pos];
    if (code === undefined) {
      throw new FormatError(`pickle is cut off: it has no STOP in its ${bytes.length} bytes`, {
        at: place(machine),
        likely: LIKELY_CUT_OFF,
      });
    }
    const opcode = OPCODES[code];
    if (opcode === undefined) throw unknownOpcode(machine, code);
    machine.pos++;
    opcode(machine);
  }
  if (machine.pos < bytes.length && environment.trailing !== true) {
    throw new FormatError(
      `${bytes.length - machine.pos} bytes follow the end of the pickle at byte ${machine.pos}`,
      {
        at: place(machine, machine.pos),
        likely: LIKELY_DAMAGED,
      },
    );
  }
  const result = machine.stack.pop();
  if (result === undefined || machine.stack.length > 0)
    throw corrupt(machine, "STOP", "one value on the stack");
  return { root: result, end: machine.pos };
}

/** Opcodes of protocols 0 and 1 that Python still writes when asked to. */
const OLD_OPCODES = "FILPSVTUpgsi";

function unknownOpcode(machine: Machine, code: number): FormatError | UnsupportedError {
  const text = `0x${code.toString(16).padStart(2, "0")}`;
  const letter = String.fromCharCode(code);
  if (OLD_OPCODES.includes(letter)) {
    return new UnsupportedError(
      `pickle opcode ${text} ("${letter}") belongs to protocol 0 or 1; 2 to 5 are read`,
      {
        at: place(machine),
        hint: "save it again with protocol=2 or higher",
      },
    );
  }
  return new FormatError(`pickle is corrupt: ${text} is not an opcode`, {
    at: place(machine),
    likely: LIKELY_DAMAGED,
  });
}
