/**
 * `s3://BUCKET/PATH` by Amazon's own client: its chain of credentials (environment, profiles, instance roles), regions
 * and endpoints (AWS_ENDPOINT_URL for MinIO, R2, Ceph and others). Without credentials the bucket must be public.
 *
 * @module
 */
import { Readable } from "node:stream";
import type { S3Client } from "@aws-sdk/client-s3";
import { isLogratioError } from "../../core/base/index.ts";
import { isPassingStatus } from "../io/backoff.ts";
import { networkWords } from "../io/network-words.ts";
import { checkLength, checkRange, MAX_ANSWER_BYTES } from "./http.ts";
import { loadOptional } from "./load-optional.ts";
import { PageChain } from "./pages.ts";
import { type RangeRequest, type RemoteFile, type RemoteStore, StoreFailure } from "./remote-file.ts";

type Library = typeof import("@aws-sdk/client-s3");
/** Region if neither the environment nor a profile names one; the store redirects to the bucket's own. */
const REGION = "us-east-1";

interface Connection {
  readonly library: Library;
  readonly client: S3Client;
}

async function connect(): Promise<Connection> {
  // Otherwise the client prints a notice about its Node support into the report.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= "true";
  const library = await loadOptional("@aws-sdk/client-s3", () => import("@aws-sdk/client-s3"));
  const { AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_S3 } = process.env;
  const common = {
    followRegionRedirects: true,
    // Stores other than Amazon's rarely support bucket names as hosts.
    forcePathStyle: Boolean(AWS_ENDPOINT_URL_S3 || AWS_ENDPOINT_URL),
    // This package does the retries, including those of the body.
    maxAttempts: 1,
  };
  const probe = new library.S3Client(common);
  const region = await probe.config.region().catch(() => REGION);
  const isAnonymous = await probe.config.credentials().then(
    () => false,
    () => true,
  );
  probe.destroy();
  const signer = { sign: async <T>(request: T): Promise<T> => request };
  const client = new library.S3Client({
    ...common,
    region,
    ...(isAnonymous ? { signer, credentials: { accessKeyId: "", secretAccessKey: "" } } : {}),
  });
  boundAnswers(client);
  return { library, client };
}

/** Stops reading the bodies of lists, descriptions and errors beyond a limit; the client would hold them whole. */
function boundAnswers(client: S3Client): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const result = await next(args);
        const response = result.response as { statusCode?: number; body?: unknown };
        const isRange = commandName === "GetObjectCommand" && response.statusCode === 206;
        if (!isRange && response.body instanceof Readable) {
          response.body = Readable.from(boundedPieces(response.body), { objectMode: false });
        }
        return result;
      },
    { step: "deserialize", priority: "low", name: "boundAnswers" },
  );
}

async function* boundedPieces(body: Readable): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of body as AsyncIterable<Uint8Array>) {
    bytes += piece.byteLength;
    if (bytes > MAX_ANSWER_BYTES) {
      throw new StoreFailure(`its answer exceeds ${MAX_ANSWER_BYTES} bytes`, {
        status: 200,
        isPassing: false,
      });
    }
    yield piece;
  }
}

/** The bytes of a body; undefined when there are more than `most`. */
async function readPieces(
  body: Readable,
  most: number,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const stop = (): void => {
    body.destroy(new Error("aborted"));
  };
  signal.addEventListener("abort", stop);
  try {
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    for await (const piece of body as AsyncIterable<Uint8Array>) {
      bytes += piece.byteLength;
      if (bytes > most) return undefined;
      pieces.push(piece);
    }
    return new Uint8Array(Buffer.concat(pieces));
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Converts the client's errors to a StoreFailure. */
function toFailure(error: unknown): unknown {
  if (error instanceof StoreFailure) return error;
  const { $metadata, name, message, $retryable } = error as {
    $metadata?: { httpStatusCode?: number };
    name?: string;
    message?: string;
    $retryable?: unknown;
  };
  const status = $metadata?.httpStatusCode;
  if (status === undefined) {
    const isFinal = name === "CredentialsProviderError";
    return isFinal
      ? new StoreFailure(networkWords(error), { status: 401, isPassing: false, cause: error })
      : error;
  }
  // Responses to HEAD have no body, so the client reports all of their errors as unknown.
  const words = !message || /^Unknown/.test(message) ? (name ?? "no reason given") : message;
  return new StoreFailure(words, {
    status,
    isPassing: isPassingStatus(status) || $retryable !== undefined,
    cause: error,
  });
}

/** The bytes of a range of an object. */
async function readRange(
  { library, client }: Connection,
  place: { readonly Bucket: string; readonly Key: string },
  file: RemoteFile,
  range: RangeRequest,
): Promise<Uint8Array> {
  const { start, end, signal } = range;
  const command = new library.GetObjectCommand({
    ...place,
    Range: `bytes=${start}-${end - 1}`,
    ...(file.version === undefined ? {} : { IfMatch: file.version }),
  });
  try {
    const { Body, ContentRange } = await client.send(command, { abortSignal: signal });
    const body = Body as Readable | undefined;
    if (body === undefined) return checkLength(new Uint8Array(), end - start);
    try {
      checkRange(ContentRange, range, file);
      return checkLength(await readPieces(body, end - start, signal), end - start);
    } finally {
      body.destroy();
    }
  } catch (error) {
    throw isLogratioError(error) ? error : toFailure(error);
  }
}

export function s3Store(bucket: string, key: string): RemoteStore {
  const root = `s3://${bucket}`;
  let connection: Promise<Connection> | undefined;
  const connected = (): Promise<Connection> => {
    connection ??= connect();
    return connection;
  };

  async function findObject(signal: AbortSignal): Promise<RemoteFile | undefined> {
    if (key === "" || key.endsWith("/")) return undefined;
    const { library, client } = await connected();
    try {
      const head = await client.send(new library.HeadObjectCommand({ Bucket: bucket, Key: key }), {
        abortSignal: signal,
      });
      return {
        name: `${root}/${key}`,
        byteLength: head.ContentLength ?? 0,
        version: head.ETag,
        isStream: false,
      };
    } catch (error) {
      const failure = toFailure(error);
      if (failure instanceof StoreFailure && failure.status === 404) return undefined;
      throw failure;
    }
  }

  return {
    name: `${root}/${key}`,
    async list(limit, signal) {
      const object = await findObject(signal);
      if (object !== undefined) return { isFile: true, files: [object] };
      const { library, client } = await connected();
      const prefix = key === "" || key.endsWith("/") ? key : `${key}/`;
      const files: RemoteFile[] = [];
      const pages = new PageChain();
      let token: string | undefined;
      do {
        const command = new library.ListObjectsV2Command({
          Bucket: bucket,
          Prefix: prefix,
          ContinuationToken: token,
        });
        const page = await client.send(command, { abortSignal: signal }).catch((error: unknown) => {
          throw toFailure(error);
        });
        for (const { Key, Size, ETag } of page.Contents ?? []) {
          // Web consoles create folders as empty objects.
          if (Key === undefined || Key.endsWith("/")) continue;
          files.push({ name: `${root}/${Key}`, byteLength: Size ?? 0, version: ETag, isStream: false });
        }
        token = page.NextContinuationToken;
        if (token !== undefined) pages.follow(token);
      } while (token !== undefined && files.length <= limit);
      return { isFile: false, files };
    },
    read: async (file, range) =>
      readRange(await connected(), { Bucket: bucket, Key: file.name.slice(root.length + 1) }, file, range),
  };
}
