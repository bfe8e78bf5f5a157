/**
 * `gs://BUCKET/PATH`: Google Cloud Storage by its JSON API. Credentials are Google's application default credentials;
 * without them the bucket must be public. STORAGE_EMULATOR_HOST names another server, as for Google's own clients.
 *
 * @module
 */
import { fileSystemError } from "../../core/base/index.ts";
import { fetchJson, fetchRange, type RequestHeaders } from "./http.ts";
import { loadOptional } from "./load-optional.ts";
import { PageChain } from "./pages.ts";
import { type RemoteFile, type RemoteStore, StoreFailure } from "./remote-file.ts";

const SCOPE = "https://www.googleapis.com/auth/devstorage.read_only";
const FIELDS = "name,size,generation";

interface StoredObject {
  readonly name: string;
  /** A number as text, as Google writes 64-bit integers. */
  readonly size: string;
  readonly generation: string;
}

interface ListedPage {
  readonly items?: readonly StoredObject[];
  readonly nextPageToken?: string;
}

type AskHeaders = () => Promise<RequestHeaders>;

async function makeHeaders(): Promise<AskHeaders> {
  if (process.env.STORAGE_EMULATOR_HOST) return async () => ({});
  const { GoogleAuth } = await loadOptional("google-auth-library", () => import("google-auth-library"));
  const client = await new GoogleAuth({ scopes: [SCOPE] }).getClient().catch((cause: unknown) => {
    // Without credentials, public buckets can be read; a named file of credentials must not be ignored.
    const file = process.env.GOOGLE_APPLICATION_CREDENTIALS;
    if (file) throw fileSystemError(cause, "read", { file });
  });
  if (client === undefined) return async () => ({});
  // Requested each time: the client renews an expired token.
  return async () => Object.fromEntries(await client.getRequestHeaders());
}

export function googleStore(bucket: string, key: string): RemoteStore {
  const emulator = process.env.STORAGE_EMULATOR_HOST;
  const host = emulator
    ? /^https?:/.test(emulator)
      ? emulator
      : `http://${emulator}`
    : "https://storage.googleapis.com";
  const objects = `${host.replace(/\/+$/, "")}/storage/v1/b/${encodeURIComponent(bucket)}/o`;
  const root = `gs://${bucket}`;
  let asked: Promise<AskHeaders> | undefined;
  const headers = async (): Promise<RequestHeaders> => {
    asked ??= makeHeaders();
    return (await asked)();
  };
  const toFile = ({ name, size, generation }: StoredObject): RemoteFile => ({
    name: `${root}/${name}`,
    byteLength: Number(size),
    version: generation,
    isStream: false,
  });

  async function findObject(signal: AbortSignal): Promise<RemoteFile | undefined> {
    if (key === "" || key.endsWith("/")) return undefined;
    try {
      const url = `${objects}/${encodeURIComponent(key)}?fields=${FIELDS}`;
      return toFile((await fetchJson(url, await headers(), signal)).json as StoredObject);
    } catch (error) {
      if (error instanceof StoreFailure && error.status === 404) return undefined;
      throw error;
    }
  }

  return {
    name: `${root}/${key}`,
    async list(limit, signal) {
      const object = await findObject(signal);
      if (object !== undefined) return { isFile: true, files: [object] };
      const prefix = key === "" || key.endsWith("/") ? key : `${key}/`;
      const files: RemoteFile[] = [];
      const pages = new PageChain();
      let page: string | undefined;
      do {
        const query = new URLSearchParams({ prefix, fields: `items(${FIELDS}),nextPageToken` });
        if (page !== undefined) query.set("pageToken", page);
        const { json } = await fetchJson(`${objects}?${query}`, await headers(), signal);
        const { items = [], nextPageToken } = json as ListedPage;
        files.push(...items.filter(({ name }) => !name.endsWith("/")).map(toFile));
        page = nextPageToken;
        if (page !== undefined) pages.follow(page);
      } while (page !== undefined && files.length <= limit);
      return { isFile: false, files };
    },
    async read(file, range) {
      const name = encodeURIComponent(file.name.slice(root.length + 1));
      const url = `${objects}/${name}?alt=media&generation=${file.version}`;
      return fetchRange(url, await headers(), range, { ...file, version: undefined });
    },
  };
}
