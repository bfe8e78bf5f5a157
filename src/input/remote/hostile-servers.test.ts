/** Servers that send unrequested data or redirect elsewhere. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { findRemote } from "./index.ts";

const SIZE = 1000;
const opened: (() => Promise<void>)[] = [];

afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(opened.splice(0).map((close) => close()));
});

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

async function serve(handle: Handle): Promise<{ url: string; requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    handle(request, response);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  opened.push(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** Sends until the other side leaves, and counts the bytes. */
function sendEndlessly(response: ServerResponse, piece: string, everyMs = 0): { bytes: () => number } {
  let bytes = 0;
  const timer = setInterval(() => {
    if (response.writableNeedDrain) return;
    bytes += piece.length;
    response.write(piece);
  }, everyMs);
  response.on("close", () => clearInterval(timer));
  return { bytes: () => bytes };
}

function isFirst(request: IncomingMessage): boolean {
  return request.headers.range === "bytes=0-0";
}

const rangeHeader = (start: number, end: number, total: number) => ({
  "content-range": `bytes ${start}-${end}/${total}`,
});

async function readWhole(address: string): Promise<Uint8Array> {
  const [found] = await findRemote(address);
  const source = found!.object.open();
  if (!("slice" in source)) throw new Error("it is a stream");
  return source.slice(0, found!.object.byteLength);
}

/** A server that answers the first request correctly, and requests for ranges as given. */
function ranges(answer: (response: ServerResponse) => void): Handle {
  return (request, response) => {
    if (!isFirst(request)) return answer(response);
    response.writeHead(206, rangeHeader(0, 0, SIZE)).end("x");
  };
}

describe("a range", () => {
  it.each([
    ["shifted", rangeHeader(5, SIZE + 4, SIZE), "a request for bytes 0 to 999 with bytes 5 to 1004"],
    ["shorter", rangeHeader(0, SIZE - 2, SIZE), "with bytes 0 to 998"],
    ["unnamed", {}, "with an answer that does not say which"],
  ])("of other bytes than were asked for is refused at once: %s", async (name, headers, words) => {
    const { url, requests } = await serve(
      ranges((response) => response.writeHead(206, headers).end("x".repeat(SIZE))),
    );
    await expect(readWhole(`${url}/${name}.npz`)).rejects.toMatchObject({
      _tag: "FileSystemError",
      message: expect.stringContaining(words),
    });
    expect(requests).toHaveLength(2);
  });

  it.each([
    ["grown", rangeHeader(0, SIZE - 1, SIZE + 10)],
    ["tagged", { ...rangeHeader(0, SIZE - 1, SIZE), etag: '"2"' }],
  ])("of a file that changed says so: %s", async (name, headers) => {
    const { url } = await serve((request, response) => {
      if (isFirst(request)) response.writeHead(206, { ...rangeHeader(0, 0, SIZE), etag: '"1"' }).end("x");
      else response.writeHead(206, headers).end("x".repeat(SIZE));
    });
    await expect(readWhole(`${url}/${name}.npz`)).rejects.toMatchObject({
      _tag: "FormatError",
      message: `${url}/${name}.npz changed while it was read`,
    });
  });

  it("that never ends takes no more than was asked for", async () => {
    let sent = { bytes: () => 0 };
    const { url, requests } = await serve(
      ranges((response) => {
        response.writeHead(206, rangeHeader(0, SIZE - 1, SIZE));
        sent = sendEndlessly(response, "x".repeat(600));
      }),
    );
    await expect(readWhole(`${url}/endless.npz`)).rejects.toThrow(
      "it sent more than the 1000 bytes that were asked for (206)",
    );
    expect(requests).toHaveLength(2);
    expect(sent.bytes()).toBeLessThan(100_000);
  });

  it("is asked for until the time for all attempts is over", async () => {
    vi.stubEnv("LOGRATIO_REMOTE_TIMEOUT", "0.2");
    const { url } = await serve(
      ranges((response) => {
        response.writeHead(206, rangeHeader(0, SIZE - 1, SIZE));
        sendEndlessly(response, "x", 20);
      }),
    );
    await expect(readWhole(`${url}/trickling.npz`)).rejects.toThrow("no complete answer within 0.2 s");
  });
});

describe("a whole file", () => {
  it("that trickles ends with the time that the user gives", async () => {
    vi.stubEnv("LOGRATIO_REMOTE_TIMEOUT", "0.2");
    const { url } = await serve((_, response) => {
      response.writeHead(200);
      sendEndlessly(response, "{", 20);
    });
    const [found] = await findRemote(`${url}/slow.jsonl`);
    const source = found!.object.open();
    if ("slice" in source) throw new Error("it can be read by ranges");
    let bytes = 0;
    const reading = async (): Promise<void> => {
      for await (const piece of source.bytes) bytes += piece.byteLength;
    };
    await expect(reading()).rejects.toMatchObject({
      _tag: "FileSystemError",
      message: `${url}/slow.jsonl was not sent within 0.2 s`,
      hint: expect.stringContaining("LOGRATIO_REMOTE_TIMEOUT"),
    });
    expect(bytes).toBeGreaterThan(0);
  });

  it.each(["0", "-1", "soon", "1e99"])("is not read with %s as the time", async (given) => {
    vi.stubEnv("LOGRATIO_REMOTE_TIMEOUT", given);
    await expect(findRemote("http://127.0.0.1:1/a.npz")).rejects.toMatchObject({
      _tag: "UsageError",
      message: expect.stringContaining(`not "${given}"`),
    });
  });
});

describe("an answer", () => {
  it("of an error is read at its beginning", async () => {
    let sent = { bytes: () => 0 };
    const { url } = await serve((_, response) => {
      response.writeHead(400);
      response.write('{"message": "told so"}');
      sent = sendEndlessly(response, " ".repeat(4000));
    });
    await expect(findRemote(`${url}/a.npz`)).rejects.toThrow("told so (400)");
    expect(sent.bytes()).toBeLessThan(1_000_000);
  });

  it.each([
    ["/loop", "it redirects more than 10 times", 11],
    ["file:///etc/passwd", "it redirects to a file: address", 1],
    ["http://[", "it redirects to an invalid address", 1],
  ])("that leads to %s is final", async (location, words, asked) => {
    const { url, requests } = await serve((_, response) => response.writeHead(302, { location }).end());
    await expect(findRemote(`${url}/a.npz`)).rejects.toThrow(`${words} (302)`);
    expect(requests).toHaveLength(asked);
  });

  it("that leads to another host is followed without the password", async () => {
    const other = await serve((request, response) => {
      const end = isFirst(request) ? 0 : SIZE - 1;
      response.writeHead(206, rangeHeader(0, end, SIZE)).end("x".repeat(end + 1));
    });
    const { url, requests } = await serve((_, response) =>
      response.writeHead(302, { location: `${other.url}/b.npz` }).end(),
    );
    await readWhole(`${url.replace("//", "//user:pass@")}/a.npz`);
    expect(requests.every(({ headers }) => headers.authorization !== undefined)).toBe(true);
    expect(other.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
  });
});

describe("a list of the hub", () => {
  const list = (link: (request: IncomingMessage) => string): Handle => {
    return (request, response) => {
      if (request.method === "POST")
        response.writeHead(200).end('[{"type": "directory", "path": "a", "size": 0}]');
      else response.writeHead(200, { link: `<${link(request)}>; rel="next"` }).end("[]");
    };
  };

  it("that goes on at another host does not get the token", async () => {
    const other = await serve((_, response) => response.end("[]"));
    const { url } = await serve(list(() => `${other.url}/next`));
    vi.stubEnv("HF_ENDPOINT", url);
    vi.stubEnv("HF_TOKEN", "hf_secret");
    await expect(findRemote("hf://datasets/me/runs/a")).rejects.toThrow(
      `its list of files goes on at another host, ${new URL(other.url).host}`,
    );
    expect(other.requests).toEqual([]);
  });

  it("that goes on at no host is refused", async () => {
    const { url } = await serve(list(() => "file:///etc/passwd"));
    vi.stubEnv("HF_ENDPOINT", url);
    await expect(findRemote("hf://datasets/me/runs/a")).rejects.toThrow("goes on at an invalid address");
  });

  it("that leads in a circle ends", async () => {
    const { url, requests } = await serve(
      list(({ url: at }) => (at!.endsWith("page=1") ? "/page=2" : "/page=1")),
    );
    vi.stubEnv("HF_ENDPOINT", url);
    await expect(findRemote("hf://datasets/me/runs/a")).rejects.toThrow("leads back to a page that was read");
    expect(requests).toHaveLength(4);
  });

  it("with a size that no file has is refused", async () => {
    const { url } = await serve((_, response) =>
      response.end('[{"type": "file", "path": "a", "size": 1e300, "oid": "1"}]'),
    );
    vi.stubEnv("HF_ENDPOINT", url);
    await expect(findRemote("hf://datasets/me/runs/a")).rejects.toMatchObject({
      _tag: "FormatError",
      message: "the store gives 1e+300 bytes as the size of hf://datasets/me/runs/a",
    });
  });
});

describe("an object of S3", () => {
  function stubS3(url: string): void {
    const variables = {
      AWS_ENDPOINT_URL: url,
      AWS_ACCESS_KEY_ID: "key",
      AWS_SECRET_ACCESS_KEY: "secret",
      AWS_REGION: "eu-central-1",
      AWS_EC2_METADATA_DISABLED: "true",
      AWS_CONFIG_FILE: "/nowhere",
      AWS_SHARED_CREDENTIALS_FILE: "/nowhere",
    };
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  }

  it.each([
    ["endless", "it sent more than the 1000 bytes"],
    ["shifted", "with bytes 5 to 1004"],
  ])("is held to its range: %s", async (name, words) => {
    const { url } = await serve((request, response) => {
      if (request.method === "HEAD") {
        response.writeHead(200, { "content-length": SIZE, etag: '"1"' }).end();
        return;
      }
      const start = name === "shifted" ? 5 : 0;
      response.writeHead(206, rangeHeader(start, start + SIZE - 1, SIZE));
      sendEndlessly(response, "x".repeat(600));
    });
    stubS3(url);
    await expect(readWhole(`s3://bucket/${name}.npz`)).rejects.toThrow(words);
  });

  it("is not looked for in a list that never ends", async () => {
    const { url } = await serve((request, response) => {
      if (request.method === "HEAD") {
        response.writeHead(404).end();
        return;
      }
      response.writeHead(200, { "content-type": "application/xml" });
      sendEndlessly(response, " ".repeat(4 << 20));
    });
    stubS3(url);
    await expect(findRemote("s3://bucket/folder")).rejects.toThrow("its answer exceeds 16777216 bytes");
  });
});

it("a password that is not percent-encoded is wrong usage, and not printed", async () => {
  await expect(findRemote("http://user:a%zz@127.0.0.1:1/a.npz")).rejects.toMatchObject({
    _tag: "UsageError",
    message: "the user or password in the address of 127.0.0.1:1 has a % that encodes no character",
  });
});
