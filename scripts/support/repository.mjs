// Where the repository is on the web: what package.json says, else, in a workflow of GitHub, the repository it runs in.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./build-state.mjs";

const readManifest = () => JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

/**
 * The address without an ending slash, such as https://github.com/OWNER/NAME; undefined where nothing names one.
 *
 * @param {{ repository?: string | { url: string } }} [manifest]
 * @param {Record<string, string | undefined>} [env]
 * @returns {string | undefined}
 */
export function findRepository({ repository } = readManifest(), env = process.env) {
  const url = typeof repository === "string" ? repository : repository?.url;
  if (url !== undefined) return url.replace(/^git\+/, "").replace(/(\.git)?\/?$/, "");
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = env;
  return server && name ? `${server}/${name}` : undefined;
}
