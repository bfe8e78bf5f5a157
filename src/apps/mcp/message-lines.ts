/**
 * What a client sends, line by line: messages go on to the protocol's library, which keeps silent about lines that it
 * does not understand and stops at a long one. Each such line is answered here with JSON-RPC's error.
 *
 * @module
 */
import { Transform, type TransformCallback } from "node:stream";
import { parseJSONRPCMessage } from "@modelcontextprotocol/server";

/** Far above any call; a query that names a thousand files has 100 kB. */
const MOST_BYTES = 4 * 2 ** 20;
/** Bytes of a line that is too long in which its id is looked for. */
const HEAD_BYTES = 256;

/** https://www.jsonrpc.org/specification#error_object */
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;

type Id = string | number | null;

export interface MessageError {
  readonly jsonrpc: "2.0";
  readonly id: Id;
  readonly error: { readonly code: number; readonly message: string };
}

/**
 * @param answer called with the error for each line that is not a message
 * @param mostBytes of a line; a longer one is discarded as it arrives, and never held
 */
export function messageLines(
  answer: (error: MessageError) => void,
  mostBytes: number = MOST_BYTES,
): Transform {
  return new MessageLines(answer, mostBytes);
}

class MessageLines extends Transform {
  readonly #answer: (error: MessageError) => void;
  readonly #mostBytes: number;
  #held: Buffer[] = [];
  /** Bytes of the line so far, also of those that are not held. */
  #length = 0;

  constructor(answer: (error: MessageError) => void, mostBytes: number) {
    super();
    this.#answer = answer;
    this.#mostBytes = mostBytes;
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      this.#add(chunk.subarray(from, end));
      this.#endLine();
      from = end + 1;
    }
    this.#add(chunk.subarray(from));
    done();
  }

  #add(bytes: Buffer): void {
    this.#length += bytes.length;
    if (this.#length <= this.#mostBytes) this.#held.push(bytes);
    // The head of it says which request it is.
    else this.#held = [Buffer.concat([...this.#held, bytes.subarray(0, HEAD_BYTES)]).subarray(0, HEAD_BYTES)];
  }

  #endLine(): void {
    const [line, length] = [Buffer.concat(this.#held), this.#length];
    [this.#held, this.#length] = [[], 0];
    if (length > this.#mostBytes) {
      const message = `the message has ${length} bytes; the limit is ${this.#mostBytes}`;
      // The id of a message of which only the head is known; null where it does not stand at its beginning.
      const found =
        /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15}|"[^"\\]{0,100}")\s*[,}]/.exec(
          line.toString("utf8"),
        );
      this.#refuse(INVALID_REQUEST, message, found === null ? null : (JSON.parse(found[1]!) as Id));
      return;
    }
    const text = line.toString("utf8");
    if (text.trim() === "") return;
    const parsed = parseLine(text);
    if ("code" in parsed) this.#refuse(parsed.code, parsed.message, parsed.id);
    else this.push(Buffer.concat([line, Buffer.from("\n")]));
  }

  #refuse(code: number, message: string, id: Id): void {
    this.#answer({ jsonrpc: "2.0", id, error: { code, message } });
  }
}

type Refusal = { readonly code: number; readonly message: string; readonly id: Id };

function parseLine(text: string): Refusal | { readonly isMessage: true } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { code: PARSE_ERROR, message: `the line is not JSON: ${(error as Error).message}`, id: null };
  }
  try {
    parseJSONRPCMessage(value);
    return { isMessage: true };
  } catch {
    const id = (value as { readonly id?: unknown } | null)?.id;
    const message = Array.isArray(value)
      ? "batches are not supported: send one message a line"
      : "the line is not a JSON-RPC 2.0 message";
    return {
      code: INVALID_REQUEST,
      message,
      id: typeof id === "string" || typeof id === "number" ? id : null,
    };
  }
}
