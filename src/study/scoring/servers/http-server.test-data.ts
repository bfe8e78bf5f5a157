/**
 * A local HTTP server with a queue of faults, for tests of clients.
 *
 * @module
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, unless it is a string. */
  readonly body?: unknown;
}

export interface Asking {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  /** Parsed JSON. */
  readonly body: unknown;
}

export type Handler = (request: Asking) => Answer;

/** Sent instead of a response: a different one, or something HTTP has no word for. */
export type Fault =
  | Answer
  /** Never responds. */
  | "silence"
  /** Closes the connection without a response. */
  | "reset"
  /** Sends half of the correct response, then closes the connection. */
  | "half"
  /** Sends half of the correct response as if it were all of it. */
  | "cut";

export interface TestServer {
  readonly url: string;
  readonly asked: readonly Asking[];
  /** Each is used for one POST, in order. */
  readonly faults: Fault[];
  /** Maximum number of requests answered or in progress at once. */
  readonly mostAtOnce: () => number;
  /** Requests whose client went away before the response. */
  readonly leftBy: () => number;
  close(): Promise<void>;
}

function send(response: ServerResponse, { status = 200, headers = {}, body }: Answer): void {
  const isText = typeof body === "string";
  response.writeHead(status, { "content-type": isText ? "text/html" : "application/json", ...headers });
  response.end(isText ? body : JSON.stringify(body));
}

function fail(response: ServerResponse, fault: Fault, right: () => Answer): void {
  if (fault === "silence") return;
  if (fault === "reset") {
    response.destroy();
    return;
  }
  if (typeof fault === "object") {
    send(response, fault);
    return;
  }
  const whole = JSON.stringify(right().body);
  const half = whole.slice(0, whole.length / 2);
  response.writeHead(200, { "content-type": "application/json" });
  if (fault === "cut") response.end(half);
  else response.write(half, () => response.destroy());
}

/** @param delayMs - before each response */
export async function startServer(handler: Handler, delayMs = 0): Promise<TestServer> {
  const asked: Asking[] = [];
  const faults: Fault[] = [];
  let now = 0;
  let most = 0;
  let left = 0;
  const server = createServer((request, response) => {
    most = Math.max(most, ++now);
    response.on("close", () => {
      now--;
      if (!response.writableFinished) left++;
    });
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const text = Buffer.concat(parts).toString();
      const asking: Asking = {
        method: request.method ?? "",
        path: request.url ?? "",
        headers: request.headers,
        body: text === "" ? undefined : JSON.parse(text),
      };
      asked.push(asking);
      setTimeout(() => {
        const fault = asking.method === "POST" ? faults.shift() : undefined;
        if (fault === undefined) send(response, handler(asking));
        else fail(response, fault, () => handler(asking));
      }, delayMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    faults,
    mostAtOnce: () => most,
    leftBy: () => left,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
