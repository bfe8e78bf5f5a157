/**
 * `hf://datasets/OWNER/NAME[@REVISION]/PATH`, `hf://OWNER/NAME…` for models, `hf://spaces/…`: the Hugging Face Hub.
 * The token comes from HF_TOKEN or from the file of `hf auth login`; HF_ENDPOINT names another hub.
 *
 * @module
 */
import { homedir } from "node:os";
import { join } from "node:path";
import { UsageError } from "../../core/base/index.ts";
import { readTextIfPresent } from "../io/if-present.ts";
import { fetchJson, fetchRange, type RequestHeaders } from "./http.ts";
import { PageChain } from "./pages.ts";
import { type RemoteFile, type RemoteStore, StoreFailure } from "./remote-file.ts";

interface Repository {
  /** Kind in the API's addresses. */
  readonly kind: "models" | "datasets" | "spaces";
  /** `OWNER/NAME`. */
  readonly id: string;
  readonly revision: string;
  /** Path in the repository; empty for all of it. */
  readonly path: string;
}

/** @throws UsageError for an address that does not name a repository */
function parseHubAddress(address: string): Repository {
  const parts = address
    .slice("hf://".length)
    .split("/")
    .filter((part) => part !== "");
  const kind =
    parts[0] === "datasets" || parts[0] === "spaces" || parts[0] === "models" ? parts[0] : "models";
  if (parts[0] === kind) parts.shift();
  const [owner, named, ...inside] = parts;
  const [name, ...revision] = (named ?? "").split("@");
  if (owner === undefined || name === undefined || name === "") {
    throw new UsageError(`${address} does not name a repository of the Hugging Face Hub`, {
      hint: "hf://datasets/OWNER/NAME/PATH, or hf://OWNER/NAME/PATH for a model; @REVISION may follow the name",
    });
  }
  return { kind, id: `${owner}/${name}`, revision: revision.join("@") || "main", path: inside.join("/") };
}

async function readToken(): Promise<string | undefined> {
  const { HF_TOKEN, HF_HOME, XDG_CACHE_HOME } = process.env;
  if (HF_TOKEN !== undefined && HF_TOKEN !== "") return HF_TOKEN;
  const home = HF_HOME || join(XDG_CACHE_HOME || join(homedir(), ".cache"), "huggingface");
  const token = await readTextIfPresent(join(home, "token"));
  return token?.trim() || undefined;
}

function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

interface Entry {
  readonly type: string;
  readonly path: string;
  readonly size: number;
  readonly oid: string;
}

function readEntries(json: unknown): Entry[] {
  if (!Array.isArray(json)) throw new StoreFailure("its list of files is not a list", { isPassing: false });
  return json.filter(
    (entry): entry is Entry =>
      typeof entry === "object" &&
      entry !== null &&
      typeof (entry as Entry).path === "string" &&
      typeof (entry as Entry).size === "number",
  );
}

/**
 * The address of the next page, which must be on the same host, since the token is sent there.
 *
 * @throws StoreFailure when it is on another host
 */
function findNextPage({ headers }: Response, page: string): string | undefined {
  const link = /<([^>]+)>;\s*rel="next"/.exec(headers.get("link") ?? "")?.[1];
  if (link === undefined) return undefined;
  const next = URL.canParse(link, page) ? new URL(link, page) : undefined;
  if (next?.origin === new URL(page).origin) return next.href;
  const where = next?.host ? `another host, ${next.host}` : "an invalid address";
  throw new StoreFailure(`its list of files goes on at ${where}`, { status: 200, isPassing: false });
}

export function hubStore(address: string): RemoteStore {
  const { kind, id, revision, path } = parseHubAddress(address);
  const endpoint = (process.env.HF_ENDPOINT || "https://huggingface.co").replace(/\/+$/, "");
  const api = `${endpoint}/api/${kind}/${id}`;
  const rev = encodeURIComponent(revision);
  const name = address.replace(/\/+$/, "");
  const root = path === "" ? name : name.slice(0, -path.length - 1);
  const prefix = kind === "models" ? "" : `${kind}/`;

  async function headers(): Promise<RequestHeaders> {
    const token = await readToken();
    return token === undefined ? {} : { authorization: `Bearer ${token}` };
  }

  const toFile = ({ path: at, size, oid }: Entry): RemoteFile => ({
    name: `${root}/${at}`,
    byteLength: size,
    version: oid,
    isStream: false,
  });

  return {
    name,
    async list(limit, signal) {
      const sent = await headers();
      if (path !== "") {
        const { json } = await fetchJson(
          `${api}/paths-info/${rev}`,
          { ...sent, "content-type": "application/json" },
          signal,
          {
            method: "POST",
            body: JSON.stringify({ paths: [path] }),
          },
        );
        const [entry] = readEntries(json);
        if (entry === undefined)
          throw new StoreFailure("no such path in the repository", { status: 404, isPassing: false });
        if (entry.type === "file") return { isFile: true, files: [toFile(entry)] };
      }
      const files: RemoteFile[] = [];
      const pages = new PageChain();
      let next: string | undefined =
        `${api}/tree/${rev}${path === "" ? "" : `/${encodePath(path)}`}?recursive=true`;
      while (next !== undefined && files.length <= limit) {
        const { json, response }: Awaited<ReturnType<typeof fetchJson>> = await fetchJson(next, sent, signal);
        files.push(
          ...readEntries(json)
            .filter(({ type }) => type === "file")
            .map(toFile),
        );
        next = findNextPage(response, next);
        if (next !== undefined) pages.follow(next);
      }
      return { isFile: false, files };
    },
    async read(file, range) {
      const at = file.name.slice(root.length + 1);
      const url = `${endpoint}/${prefix}${id}/resolve/${rev}/${encodePath(at)}`;
      // The ETags of the delivery network are not the repository's object ids.
      return fetchRange(url, await headers(), range, { ...file, version: undefined });
    },
  };
}
