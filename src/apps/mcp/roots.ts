import { realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { NotFoundError, UsageError } from "../../core/base/index.ts";
import { isRemote } from "../../input/remote/index.ts";

/** What a client may read: directories and files, with everything below them, and addresses with such prefixes. */
export interface Roots {
  readonly local: readonly string[];
  readonly remote: readonly string[];
}

/** @throws NotFoundError when a root does not exist */
export async function openRoots(paths: readonly string[]): Promise<Roots> {
  return {
    local: await Promise.all(paths.filter((path) => !isRemote(path)).map(findReal)),
    remote: paths.filter(isRemote),
  };
}

/**
 * The path or address to open: absolute, so that it cannot be taken for a flag or standard input, and with every link
 * resolved, so that what is opened is what was checked.
 *
 * @throws UsageError when it lies outside the roots
 * @throws NotFoundError when it does not exist
 */
export async function admitPath(path: string, roots: Roots): Promise<string> {
  if (isRemote(path)) {
    if (roots.remote.some((root) => isBelowAddress(path, root))) return path;
    throw outside(path, roots);
  }
  // A missing path must reveal nothing about what is outside the roots: it is refused like an existing one.
  const named = resolve(roots.local[0] ?? ".", path);
  const mayBe = roots.local.some((root) => isBelow(named, root));
  const real = await findReal(named).catch((error: unknown) => {
    throw mayBe ? error : outside(path, roots);
  });
  if (!isAdmitted(real, roots)) throw outside(path, roots);
  return real;
}

async function findReal(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (cause) {
    throw new NotFoundError(`${path} does not exist`, { cause, at: { file: path } });
  }
}

/** Whether a resolved path is below a root. */
export function isAdmitted(path: string, { local }: Roots): boolean {
  return local.some((root) => isBelow(path, root));
}

function isBelow(path: string, root: string): boolean {
  const rest = relative(root, path);
  return rest === "" || !(rest === ".." || rest.startsWith(`..${sep}`) || isAbsolute(rest));
}

function isBelowAddress(address: string, root: string): boolean {
  // Dots would be resolved only after this check.
  if (/(^|\/)\.{1,2}(\/|$)|%2e/i.test(address.replace(/^[a-z0-9]+:\/\//i, ""))) return false;
  return address === root || address.startsWith(root.endsWith("/") ? root : `${root}/`);
}

function outside(path: string, { local, remote }: Roots): UsageError {
  return new UsageError(`${path} is outside what this server may read`, {
    hint: `give a path below ${[...local, ...remote].join(" or ")}; the roots are set when the server starts: logratio mcp ROOT…`,
  });
}
