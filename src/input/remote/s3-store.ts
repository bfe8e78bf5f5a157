/**
 * `s3://BUCKET/PATH` by Amazon's own client: its chain of credentials (environment, profiles, instance roles), regions
 * and endpoints (AWS_ENDPOINT_URL for MinIO, R2, Ceph and others). Without credentials the bucket must be public.
 *
 * @module
 */
import type { S3Client } from "@aws-sdk/client-s3";
import { isPassingStatus, networkWords } from "../io/index.ts";
import { loadOptional } from "./load-optional.ts";
import { type RemoteFile, type RemoteStore, StoreFailure } from "./remote-file.ts";

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
  return { library, client };
}

/** Converts the client's errors to a StoreFailure. */
function toFailure(error: unknown): unknown {
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
  // Answers to HEAD have no body, so the client reports all of their errors as unknown.
  const words = !message || /^Unknown/.test(message) ? (name ?? "no reason given") : message;
  return new StoreFailure(words, {
    status,
    isPassing: isPassingStatus(status) || $retryable !== undefined,
    cause: error,
  });
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
      } while (token !== undefined && files.length <= limit);
      return { isFile: false, files };
    },
    async read(file, { start, end, signal }) {
      const { library, client } = await connected();
      const command = new library.GetObjectCommand({
        Bucket: bucket,
        Key: file.name.slice(root.length + 1),
        Range: `bytes=${start}-${end - 1}`,
        ...(file.version === undefined ? {} : { IfMatch: file.version }),
      });
      try {
        const { Body } = await client.send(command, { abortSignal: signal });
        const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array();
        if (bytes.length !== end - start) {
          throw new StoreFailure(`it sent ${bytes.length} of ${end - start} bytes`, { isPassing: true });
        }
        return bytes;
      } catch (error) {
        throw error instanceof StoreFailure ? error : toFailure(error);
      }
    },
  };
}
