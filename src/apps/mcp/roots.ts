import { lstat, realpath } from "node:fs/promises";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { fileSystemError, isSystemError, NotFoundError, UsageError } from "../../core/base/index.ts";
import { isAbsence } from "../../input/io/index.ts";
import { isRemote, nameRemote } from "../../input/remote/index.ts";
import { admitAddress } from "./admit-address.ts";

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
 * The path or address to open: absolute, so that it cannot be taken for a flag or standard input, with every link
 * resolved, and an address in the form in which it is requested, so that what is opened is what was checked.
 *
 * @throws UsageError when it lies outside the roots
 * @throws NotFoundError when it does not exist
 * @throws FileSystemError when the system refuses
 */
export async function admitPath(path: string, roots: Roots): Promise<string> {
  if (isRemote(path)) {
    for (const root of roots.remote) {
      const admitted = admitAddress(path, root);
      if (admitted !== undefined) return admitted;
    }
    throw outside(path, roots);
  }
  const named = resolve(roots.local[0] ?? ".", path);
  // A missing path must reveal nothing about what is outside the roots: it is refused like an existing one.
  const real = await findReal(named).catch(async (error: unknown) => {
    const isOwn = roots.local.some((root) => isBelow(named, root)) && (await isAdmittedPlace(named, roots));
    throw isOwn ? error : outside(path, roots);
  });
  if (!isAdmitted(real, roots)) throw outside(path, roots);
  return real;
}

async function findReal(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (cause) {
    if (isSystemError(cause) && !isAbsence(cause)) throw fileSystemError(cause, "read", { file: path });
    throw new NotFoundError(`${path} does not exist`, { cause, at: { file: path } });
  }
}

/**
 * Whether a path that cannot be resolved would lie below a root: the nearest part of it that there is does, and is not
 * a link to something that is missing elsewhere.
 */
async function isAdmittedPlace(path: string, roots: Roots): Promise<boolean> {
  for (let place = path; ; place = dirname(place)) {
    const real = await realpath(place).catch(() => undefined);
    if (real !== undefined) return isAdmitted(real, roots);
    const found = await lstat(place).catch(() => undefined);
    if (found?.isSymbolicLink() === true || place === dirname(place)) return false;
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

function outside(path: string, { local, remote }: Roots): UsageError {
  const places = [...local, ...remote.map(nameRemote)].join(" or ");
  return new UsageError(`${nameRemote(path)} is outside what this server may read`, {
    hint: `give a path below ${places}; the roots are set when the server starts: logratio mcp ROOT…`,
  });
}
