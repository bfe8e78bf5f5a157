/**
 * Recognizes the kind of JSON in a file.
 *
 * @module
 */
import { findEnd, newBoundary } from "./boundary.ts";
import { beginsWithEvent } from "./events.ts";
import { byteOrderMark, CLOSE_BRACKET, LINE_FEED, OPEN_BRACE, OPEN_BRACKET, skipSpace } from "./syntax.ts";

/** One object; an array of objects or arrays; objects on lines of their own, as such or as server-sent events. */
export type JsonKind = "object" | "array" | "jsonl";

const JSONL_NAME = /\.(jsonl|ndjson|jsonlines)(\.(gz|zst|zstd))?$/i;
const JSON_NAME = /\.json(\.(gz|zst|zstd))?$/i;

/**
 * Tells the kind from the first bytes (decompressed; 64 KiB are plenty), undefined when they are not JSON that can
 * hold rows or named values.
 *
 * The content decides. The name decides only where the content does not: a file of one object may be a JSONL file with
 * one line, and if the first object is longer than `head`, nothing after it is seen. Without a name, an object of one
 * line that ends in `head` is an object, and one that does not is JSONL.
 */
export function sniffJson(head: Uint8Array, name?: string): JsonKind | undefined {
  const start = skipSpace(head, byteOrderMark(head), head.length);
  const first = head[start];
  if (first === OPEN_BRACKET) {
    const inside = skipSpace(head, start + 1, head.length);
    const holdsRows = head[inside] === OPEN_BRACE || head[inside] === OPEN_BRACKET;
    return inside === head.length || holdsRows || head[inside] === CLOSE_BRACKET ? "array" : undefined;
  }
  const named =
    name === undefined
      ? undefined
      : JSONL_NAME.test(name)
        ? "jsonl"
        : JSON_NAME.test(name)
          ? "object"
          : undefined;
  if (beginsWithEvent(head)) return "jsonl";
  // After an unreadable first line the others may be readable, but then only the name says so.
  if (first !== OPEN_BRACE) return named === "jsonl" && hasObjectLine(head) ? "jsonl" : undefined;

  const state = newBoundary();
  const end = findEnd(head, start, head.length, state);
  if (state.lines > 0) {
    // Either an object over several lines, or JSONL whose first line is cut off.
    const second = skipSpace(head, head.indexOf(LINE_FEED, start), head.length);
    return head[second] === OPEN_BRACE ? "jsonl" : "object";
  }
  if (end < 0) return named ?? "jsonl";
  const behind = skipSpace(head, end, head.length);
  return behind < head.length ? "jsonl" : (named ?? "object");
}

function hasObjectLine(head: Uint8Array): boolean {
  for (let pos = head.indexOf(LINE_FEED); pos >= 0; ) {
    // Past all blank lines: from each of them, the same white space would be skipped again.
    const start = skipSpace(head, pos + 1, head.length);
    if (head[start] === OPEN_BRACE) return true;
    pos = head.indexOf(LINE_FEED, start);
  }
  return false;
}
