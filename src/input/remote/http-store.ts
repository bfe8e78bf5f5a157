/**
 * `https://` and `http://`: one file, read by ranges if the server can, else once from front to back.
 *
 * @module
 */
import { basicCredentials } from "../io/basic-credentials.ts";
import { publicName } from "./address.ts";
import { fetchChecked, fetchRange, type RequestHeaders, readTag } from "./http.ts";
import { type RemoteFile, type RemoteStore, StoreFailure } from "./remote-file.ts";
import { streamBody } from "./stream-body.ts";

export function httpStore(url: URL): RemoteStore {
  const name = publicName(url);
  const credentials = basicCredentials(url);
  const headers: RequestHeaders = credentials === undefined ? {} : { authorization: credentials };
  const bare = new URL(url);
  bare.username = "";
  bare.password = "";
  bare.hash = "";
  const address = bare.href;

  return {
    name,
    async list(_limit, signal) {
      // Signed addresses are often only valid for GET, so HEAD would be refused.
      const response = await fetchChecked(address, {
        headers: { ...headers, range: "bytes=0-0" },
        signal,
      }).catch((error: unknown) => {
        // No byte 0: the file is empty.
        if (error instanceof StoreFailure && error.status === 416) return undefined;
        throw error;
      });
      await response?.body?.cancel();
      const total = /^bytes 0-0\/(\d+)$/.exec(response?.headers.get("content-range") ?? "")?.[1];
      const isStream = response !== undefined && total === undefined;
      const byteLength = Number(total ?? (isStream ? (response.headers.get("content-length") ?? 0) : 0));
      const file: RemoteFile = {
        name,
        byteLength,
        version: response === undefined ? undefined : readTag(response),
        isStream,
      };
      return { isFile: true, files: [file] };
    },
    read: (file, range) => fetchRange(address, headers, range, file),
    stream: () => streamBody(name, (signal) => fetchChecked(address, { headers, signal })),
  };
}
