/**
 * A store on this machine that speaks enough of S3, Google's JSON API, the Hugging Face Hub and plain HTTP for their
 * clients to read from it, and fails on demand.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What a request gets instead of a response. */
export type Fault =
  /** Half of the body, then the connection breaks. */
  | "cut"
  /** The connection breaks before the response. */
  | "hang-up"
  /** This status. */
  | number;

export interface TestStore {
  readonly url: string;
  readonly objects: Map<string, Uint8Array>;
  /** Method, path and range of each request. */
  readonly requests: {
    method: string;
    path: string;
    range: string | undefined;
    headers: IncomingMessage["headers"];
  }[];
  /** Consumed by the requests for bytes in order; none when empty. */
  readonly faults: Fault[];
  /** Statuses for everything except requests for bytes. */
  readonly listFaults: Fault[];
  /** Answers requests for ranges with whole files. */
  ignoresRanges: boolean;
  /** Number of keys on a page of a listing. */
  pageSize: number;
  /** Tells contents apart in the JSON API. */
  generation: string;
  close(): Promise<void>;
}

const BUCKET = "bucket";

function tag(bytes: Uint8Array): string {
  return `"${createHash("md5").update(bytes).digest("hex")}"`;
}

function escapeXml(text: string): string {
  return text.replace(/[<>&"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

export async function startStore(): Promise<TestStore> {
  const objects = new Map<string, Uint8Array>();
  const requests: TestStore["requests"] = [];
  const faults: Fault[] = [];
  const listFaults: Fault[] = [];

  function refuse(response: ServerResponse, fault: Fault): void {
    if (typeof fault !== "number") {
      response.destroy();
      return;
    }
    response.writeHead(fault, { "content-type": "application/xml" });
    response.end(`<Error><Code>Refused</Code><Message>refused as told</Message></Error>`);
  }

  function sendBytes(request: IncomingMessage, response: ServerResponse, bytes: Uint8Array): void {
    const fault = request.method === "HEAD" ? undefined : faults.shift();
    if (fault !== undefined && fault !== "cut") {
      refuse(response, fault);
      return;
    }
    const etag = tag(bytes);
    const wanted = request.headers["if-match"];
    if (wanted !== undefined && wanted !== etag) {
      refuse(response, 412);
      return;
    }
    const range = store.ignoresRanges ? null : /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "");
    const start = Number(range?.[1] ?? 0);
    const end = Math.min(bytes.length, range?.[2] ? Number(range[2]) + 1 : bytes.length);
    if (range !== null && start >= bytes.length) {
      refuse(response, 416);
      return;
    }
    response.writeHead(range === null ? 200 : 206, {
      etag,
      "content-length": end - start,
      ...(range === null ? {} : { "content-range": `bytes ${start}-${end - 1}/${bytes.length}` }),
    });
    if (request.method === "HEAD") response.end();
    else if (fault === "cut")
      response.write(bytes.subarray(start, start + ((end - start) >> 1)), () => response.destroy());
    else response.end(bytes.subarray(start, end));
  }

  const page = (prefix: string, after: string): { keys: string[]; next: string | undefined } => {
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    const part = keys.slice(0, store.pageSize);
    return { keys: part, next: keys.length > part.length ? part.at(-1) : undefined };
  };

  function listS3(query: URLSearchParams, response: ServerResponse): void {
    const { keys, next } = page(query.get("prefix") ?? "", query.get("continuation-token") ?? "");
    const contents = keys.map((key) => {
      const bytes = objects.get(key)!;
      return `<Contents><Key>${escapeXml(key)}</Key><Size>${bytes.length}</Size><ETag>${escapeXml(tag(bytes))}</ETag></Contents>`;
    });
    const more =
      next === undefined ? "" : `<NextContinuationToken>${escapeXml(next)}</NextContinuationToken>`;
    response.writeHead(200, { "content-type": "application/xml" });
    response.end(
      `<?xml version="1.0"?><ListBucketResult><Name>${BUCKET}</Name><IsTruncated>${next !== undefined}</IsTruncated>${more}${contents.join("")}</ListBucketResult>`,
    );
  }

  function sendJson(response: ServerResponse, value: unknown, headers: Record<string, string> = {}): void {
    response.writeHead(200, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(value));
  }

  function answerGoogle(url: URL, request: IncomingMessage, response: ServerResponse): void {
    const key = decodeURIComponent(url.pathname.slice(`/storage/v1/b/${BUCKET}/o`.length + 1));
    const describe = (name: string): object => ({
      name,
      size: String(objects.get(name)!.length),
      generation: store.generation,
    });
    if (key === "") {
      const { keys, next } = page(
        url.searchParams.get("prefix") ?? "",
        url.searchParams.get("pageToken") ?? "",
      );
      sendJson(response, {
        items: keys.map(describe),
        ...(next === undefined ? {} : { nextPageToken: next }),
      });
      return;
    }
    const bytes = objects.get(key);
    if (bytes === undefined) {
      refuse(response, 404);
      return;
    }
    if (url.searchParams.get("alt") !== "media") {
      sendJson(response, describe(key));
      return;
    }
    if (url.searchParams.get("generation") !== store.generation) {
      refuse(response, 404);
      return;
    }
    sendBytes(request, response, bytes);
  }

  function answerHub(url: URL, request: IncomingMessage, response: ServerResponse): void {
    const describe = (path: string): object => ({
      type: "file",
      path,
      size: objects.get(path)!.length,
      oid: tag(objects.get(path)!),
    });
    const api = /^\/api\/datasets\/me\/runs\/(tree|paths-info)\/main\/?(.*)$/.exec(url.pathname);
    if (api?.[1] === "tree") {
      const prefix = api[2] === "" ? "" : `${decodeURIComponent(api[2]!)}/`;
      const { keys, next } = page(prefix, url.searchParams.get("cursor") ?? "");
      const more = new URL(url);
      more.searchParams.set("cursor", next ?? "");
      sendJson(
        response,
        keys.map(describe),
        next === undefined ? {} : { link: `<${more.href}>; rel="next"` },
      );
      return;
    }
    if (api?.[1] === "paths-info") {
      let body = "";
      request.on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", () => {
        const { paths } = JSON.parse(body) as { paths: string[] };
        const known = paths.flatMap((path): object[] => {
          if (objects.has(path)) return [describe(path)];
          const isFolder = [...objects.keys()].some((key) => key.startsWith(`${path}/`));
          return isFolder ? [{ type: "directory", path, size: 0, oid: "tree" }] : [];
        });
        sendJson(response, known);
      });
      return;
    }
    const key = decodeURIComponent(url.pathname.replace(/^\/datasets\/me\/runs\/resolve\/main\//, ""));
    const bytes = objects.get(key);
    if (bytes === undefined) refuse(response, 404);
    else sendBytes(request, response, bytes);
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url!, `http://${request.headers.host}`);
    const { method = "GET", headers } = request;
    requests.push({ method, path: decodeURIComponent(url.pathname), range: headers.range, headers });
    const isBytes = headers.range !== undefined || url.pathname.startsWith("/files/");
    const fault = isBytes ? undefined : listFaults.shift();
    if (fault !== undefined) return refuse(response, fault);
    if (url.pathname.startsWith("/storage/")) return answerGoogle(url, request, response);
    if (/^\/(api|datasets)\//.test(url.pathname)) return answerHub(url, request, response);
    const isListing = url.searchParams.get("list-type") === "2";
    if (isListing) return listS3(url.searchParams, response);
    const key = decodeURIComponent(url.pathname.replace(/^\/(bucket|files)\//, ""));
    const bytes = objects.get(key);
    if (bytes === undefined) return refuse(response, 404);
    sendBytes(request, response, bytes);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const store: TestStore = {
    url: `http://127.0.0.1:${port}`,
    objects,
    requests,
    faults,
    listFaults,
    ignoresRanges: false,
    pageSize: 1000,
    generation: "1",
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return store;
}
