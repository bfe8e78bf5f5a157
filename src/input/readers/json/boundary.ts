/**
 * Finds where a JSON value ends without building it: only brackets and quotes matter.
 *
 * @module
 */
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  expected,
  isSpace,
  LINE_FEED,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from "./syntax.ts";

/** State of a scan, which the end of a chunk may interrupt anywhere. */
export interface Boundary {
  depth: number;
  inString: boolean;
  escaped: boolean;
  /** Line breaks passed. */
  lines: number;
}

export function newBoundary(): Boundary {
  return { depth: 0, inString: false, escaped: false, lines: 0 };
}

/**
 * Continues a scan over `bytes[start, end)` from `state`, which it updates. Returns the index after the value that the
 * scan began with, or -1 when the value continues after `end`. The value itself is not checked.
 */
export function findEnd(bytes: Uint8Array, start: number, end: number, state: Boundary): number {
  let { depth, inString, escaped, lines } = state;
  let behind = -1;
  for (let pos = start; pos < end; pos++) {
    const code = bytes[pos]!;
    if (inString) {
      if (escaped) escaped = false;
      else if (code === BACKSLASH) escaped = true;
      else if (code === QUOTE) {
        inString = false;
        if (depth === 0) {
          behind = pos + 1;
          break;
        }
      }
    } else if (code === QUOTE) inString = true;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      if (depth <= 1) {
        behind = pos + depth;
        break;
      }
      depth--;
    } else if (depth === 0 && (code === COMMA || isSpace(code))) {
      behind = pos;
      break;
    } else if (code === LINE_FEED) lines++;
  }
  state.depth = depth;
  state.inString = inString;
  state.escaped = escaped;
  state.lines = lines;
  return behind;
}

/** The index after an array without strings, arrays or objects in it, by native searches; 0 when it has any. */
function flatArrayEnd(bytes: Uint8Array, pos: number, end: number): number {
  const rest = Buffer.from(bytes.buffer, bytes.byteOffset + pos + 1, end - pos - 1);
  const close = rest.indexOf(CLOSE_BRACKET);
  if (close < 0) return 0;
  const inside = rest.subarray(0, close);
  const nested = inside.includes(OPEN_BRACKET) || inside.includes(QUOTE) || inside.includes(OPEN_BRACE);
  return nested ? 0 : pos + close + 2;
}

/** The index after the value that starts at `pos`; its content is not checked. */
export function skipValue(bytes: Uint8Array, pos: number, end: number): number {
  if (pos < end && bytes[pos] === OPEN_BRACKET) {
    const behind = flatArrayEnd(bytes, pos, end);
    if (behind > 0) return behind;
  }
  const state = newBoundary();
  const behind = findEnd(bytes, pos, end, state);
  if (behind === pos || pos >= end) throw expected("a value", bytes, pos, end);
  if (behind < 0) throw expected(state.inString ? "a closing quote" : "a closing bracket", bytes, end, end);
  return behind;
}
