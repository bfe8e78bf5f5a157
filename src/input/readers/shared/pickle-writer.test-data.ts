/** Pickles assembled opcode by opcode, for content that no honest pickler writes. */
export type Piece = string | number | Uint8Array;

/** Strings are Latin-1 bytes, numbers single bytes. */
export function assemble(...pieces: readonly Piece[]): Uint8Array {
  return new Uint8Array(
    Buffer.concat(
      pieces.map((piece) =>
        typeof piece === "string"
          ? Buffer.from(piece, "latin1")
          : typeof piece === "number"
            ? Buffer.of(piece)
            : Buffer.from(piece),
      ),
    ),
  );
}

/** A pickle of protocol 2: PROTO, the pieces, STOP. */
export function pickle(...pieces: readonly Piece[]): Uint8Array {
  return assemble(0x80, 2, ...pieces, ".");
}

export function writeGlobal(module: string, name: string): string {
  return `c${module}\n${name}\n`;
}

/** BINUNICODE */
export function text(value: string): Uint8Array {
  const bytes = Buffer.from(value);
  return assemble("X", uint32(bytes.length), bytes);
}

export function uint32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return new Uint8Array(bytes);
}

/** BINFLOAT */
export function float(value: number): Uint8Array {
  const bytes = Buffer.alloc(9);
  bytes[0] = 0x47;
  bytes.writeDoubleBE(value, 1);
  return new Uint8Array(bytes);
}

/** What `__reduce__` of an attacker's class produces: the function, its one argument, REDUCE. */
export function call(module: string, name: string, argument: string): Uint8Array {
  return assemble(writeGlobal(module, name), text(argument), 0x85, "R");
}
