/**
 * Preloaded into the program (`node --require`, its worker threads too): counts the calls that change files below a
 * folder, and has one of them fail, or kills the process there. The program knows nothing of it.
 *
 * LOGRATIO_FAULT is a JSON object ({@link import("./injected.ts").Injection}). Calls are numbered from 1 over all threads
 * of the process. What native code writes (DuckDB its Parquet files) passes by here; the calls around it do not.
 */
"use strict";
const fs = require("node:fs");
const { resolve, sep } = require("node:path");
const { getEnvironmentData, setEnvironmentData } = require("node:worker_threads");
const { syncBuiltinESMExports } = require("node:module");

const ROOT = resolve(__dirname, "../../..") + sep;
const KEY = "logratio-faults";
const OPEN_TO_WRITE = fs.constants.O_WRONLY | fs.constants.O_RDWR;
const injection = JSON.parse(process.env.LOGRATIO_FAULT ?? "null");

/** [calls so far, faults so far]: one for all threads. */
let counts = getEnvironmentData(KEY);
if (counts === undefined) {
  counts = new Int32Array(new SharedArrayBuffer(8));
  setEnvironmentData(KEY, counts);
}
/** The calls of Node itself: Node's own functions call each other by their public names. */
const { appendFileSync, closeSync, openSync, writeSync } = fs;
const own = { appendFileSync, closeSync, openSync, writeSync };
const log = injection === null ? -1 : own.openSync(injection.log, "a");

/** Paths, and the places in our code that opened them, of descriptors. */
const opened = new Map();
/** True while one of Node's synchronous functions runs: those that it calls are parts of it. */
let isInside = false;

const asPath = (path) => {
  if (typeof path === "string") return resolve(path);
  if (path instanceof URL) return require("node:url").fileURLToPath(path);
  return Buffer.isBuffer(path) ? resolve(path.toString()) : undefined;
};
const isWatched = (path) =>
  path !== undefined && injection.below.some((folder) => path === folder || path.startsWith(folder + sep));

/** Our own frames of the call, those that await it too: `dist/apps/serve/store/lock.js:27`, the innermost first. */
function findSites() {
  const holder = {};
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 60;
  Error.captureStackTrace(holder, findSites);
  Error.stackTraceLimit = limit;
  return holder.stack.split("\n").flatMap((line) => {
    const [, path, number] = /(?:file:\/\/)?(\/[^()]*?):(\d+):\d+\)?$/.exec(line) ?? [];
    if (path === undefined || !path.startsWith(ROOT)) return [];
    const inside = path.slice(ROOT.length);
    return /^(?:dist|program)\b/.test(inside) ? [`${inside}:${number}`] : [];
  });
}

const write = (entry) => own.writeSync(log, `${JSON.stringify(entry)}\n`);

/** Counts a call. @returns what to do to it; undefined to let it be */
function meet({ op, path, makes = false, sites = [] }) {
  if (injection === null || isInside || !isWatched(path)) return undefined;
  const at = Atomics.add(counts, 0, 1) + 1;
  const { fault } = injection;
  const tell = () => write({ at, op, path, makes, sites: [...findSites(), ...sites] });
  if (fault === undefined) {
    tell();
    return undefined;
  }
  const { kind, call, times = 1 } = fault;
  // A full disk takes no new bytes; it lets files go.
  if (at < call || (kind === "full" && !makes && at !== call)) return undefined;
  const already = Atomics.add(counts, 1, 1);
  if (already >= times) return undefined;
  if (already === 0) tell();
  return kind === "full" && !makes ? "eio" : kind;
}

const kill = () => {
  process.kill(process.pid, "SIGKILL");
  // The signal ends this thread on its way back from the kernel, the latest.
  for (;;);
};

const ERRNO = { ENOSPC: [-28, "no space left on device"], EIO: [-5, "i/o error"] };
function makeError(kind, syscall, path, dest) {
  if (kind === "bug") return new Error("injected: an error that nobody foresaw");
  const code = kind === "eio" ? "EIO" : "ENOSPC";
  const [errno, text] = ERRNO[code];
  const where = path === undefined ? "" : ` '${path}'${dest === undefined ? "" : ` -> '${dest}'`}`;
  return Object.assign(new Error(`${code}: ${text}, ${syscall}${where}`), {
    ...{ errno, code, syscall },
    ...(path !== undefined && { path }),
    ...(dest !== undefined && { dest }),
  });
}

/** What to write for half of it, as Node's own arguments; undefined for what cannot be halved. */
function halve(name, args) {
  const bytesOf = (data, encoding) =>
    typeof data === "string"
      ? Buffer.from(data, typeof encoding === "string" ? encoding : "utf8")
      : ArrayBuffer.isView(data)
        ? Buffer.from(data.buffer, data.byteOffset, data.byteLength)
        : undefined;
  const half = (bytes) => bytes.subarray(0, bytes.length >> 1);
  if (name === "writev") {
    const [buffers, position] = args;
    return [[half(Buffer.concat(buffers.map((one) => bytesOf(one))))], position];
  }
  if (name === "writeFile" || name === "appendFile") {
    const bytes = bytesOf(args[0], typeof args[1] === "string" ? args[1] : args[1]?.encoding);
    return bytes && [half(bytes), ...args.slice(1)];
  }
  const [data, second, third, fourth] = args;
  if (typeof data === "string") return [half(bytesOf(data, third)), 0, undefined, second];
  const {
    offset = 0,
    length,
    position,
  } = typeof second === "object" && second !== null
    ? second
    : { offset: second ?? 0, length: third, position: fourth };
  const bytes = bytesOf(data).subarray(offset, length == null ? undefined : offset + length);
  return [half(bytes), 0, undefined, position];
}

/**
 * @param call.syscall as Node names it in its errors
 * @param call.run the call itself; with other arguments where half of it is to be written
 * @param call.half arguments for half of it
 */
async function strike(kind, { syscall, path, dest, run, half, isShort }) {
  const end = (error) => {
    throw error;
  };
  if (kind === "kill-before") kill();
  if (kind === "kill-after") {
    await run().catch(() => {});
    kill();
  }
  if (kind === "kill-half") {
    if (half !== undefined) await run(half);
    kill();
  }
  if (kind === "short" && half !== undefined) {
    const result = await run(half);
    // write(2) says how much it took; what writes whole files comes back for the rest, and then has the error.
    return isShort ? result : end(makeError("enospc", syscall));
  }
  return end(makeError(kind, syscall, path, dest));
}

function strikeSync(kind, { syscall, path, dest, run, half, isShort }) {
  if (kind === "kill-before") kill();
  if (kind === "kill-after") {
    try {
      run();
    } catch {}
    kill();
  }
  if (kind === "kill-half") {
    if (half !== undefined) run(half);
    kill();
  }
  if (kind === "short" && half !== undefined) {
    const result = run(half);
    if (isShort) return result;
    throw makeError("enospc", syscall);
  }
  throw makeError(kind, syscall, path, dest);
}

/** Functions that take paths: [name, system call, which argument is changed, whether it needs room on the disk]. */
const PATH_CALLS = [
  ["writeFile", "write", 0, true],
  ["appendFile", "write", 0, true],
  ["mkdir", "mkdir", 0, true],
  ["mkdtemp", "mkdtemp", 0, true],
  ["rename", "rename", 1, true],
  ["link", "link", 1, true],
  ["symlink", "symlink", 1, true],
  ["copyFile", "copyfile", 1, true],
  ["cp", "cp", 1, true],
  ["truncate", "ftruncate", 0, true],
  ["unlink", "unlink", 0, false],
  ["rm", "rm", 0, false],
  ["rmdir", "rmdir", 0, false],
  ["utimes", "utime", 0, false],
  ["lutimes", "lutime", 0, false],
  ["chmod", "chmod", 0, false],
];
const WITH_DATA = new Set(["writeFile", "appendFile"]);

/** Functions of a descriptor: [of a handle, of a descriptor, system call, whether it needs room]. */
const HANDLE_CALLS = [
  ["write", "write", "write", true],
  ["writev", "writev", "write", true],
  ["writeFile", undefined, "write", true],
  ["appendFile", undefined, "write", true],
  ["truncate", "ftruncate", "ftruncate", true],
  ["sync", "fsync", "fsync", true],
  ["datasync", "fdatasync", "fdatasync", true],
  ["utimes", "futimes", "futime", false],
  ["chmod", "fchmod", "fchmod", false],
];
const WRITES = new Set(["write", "writev", "writeFile", "appendFile"]);

const pathsOf = (args, changed, syscall) => ({
  path: syscall === "write" ? undefined : asPath(args[0]),
  dest: changed === 1 ? asPath(args[1]) : undefined,
});

function halfOf(name, args) {
  if (!WITH_DATA.has(name)) return undefined;
  const half = halve(name, args.slice(1));
  return half && [args[0], ...half];
}

function isForWriting(flags = "r") {
  if (typeof flags === "number") return (flags & OPEN_TO_WRITE) !== 0;
  return !["r", "rs", "sr"].includes(flags);
}
const isMaking = (flags = "r") =>
  typeof flags === "number" ? (flags & fs.constants.O_CREAT) !== 0 : /[wax]/.test(flags);

function patchPromises() {
  const { promises } = fs;
  for (const [name, syscall, changed, makes] of PATH_CALLS) {
    const original = promises[name];
    if (original === undefined) continue;
    promises[name] = async (...args) => {
      // A function that takes a handle too: it is counted as a call of the handle.
      const kind = meet({ op: name, path: asPath(args[changed]), makes });
      const run = (others = args) => original.apply(promises, others);
      if (kind === undefined) return run();
      return strike(kind, { syscall, ...pathsOf(args, changed, syscall), run, half: halfOf(name, args) });
    };
  }
  const { open } = promises;
  promises.open = async (path, flags, ...rest) => {
    const run = async () => {
      const handle = await open.call(promises, path, flags, ...rest);
      patchHandles(Object.getPrototypeOf(handle));
      opened.set(handle.fd, { path: asPath(path) });
      patchClose(handle, isForWriting(flags));
      return handle;
    };
    const kind = isMaking(flags) ? meet({ op: "open", path: asPath(path), makes: true }) : undefined;
    return kind === undefined ? run() : strike(kind, { syscall: "open", path: asPath(path), run });
  };
}

let arePatched = false;
function patchHandles(prototype) {
  if (arePatched) return;
  arePatched = true;
  for (const [name, , syscall, makes] of HANDLE_CALLS) {
    const original = prototype[name];
    prototype[name] = async function (...args) {
      const { path, sites } = opened.get(this.fd) ?? {};
      const kind = meet({ op: name, path, makes, sites });
      const run = (others = args) => original.apply(this, others);
      if (kind === undefined) return run();
      const half = WRITES.has(name) ? halve(name, args) : undefined;
      return strike(kind, { syscall, run, half, isShort: name === "write" || name === "writev" });
    };
  }
  const { createWriteStream } = prototype;
  prototype.createWriteStream = function (...args) {
    const file = opened.get(this.fd);
    if (file !== undefined) file.sites = findSites();
    return createWriteStream.apply(this, args);
  };
}

/** Closing what was written may fail where writing did not: on NFS, or where there are quotas. */
function patchClose(handle, isWritten) {
  const { close, fd } = handle;
  const run = async () => {
    opened.delete(fd);
    await close.call(handle);
  };
  handle.close = async () => {
    const { path } = opened.get(fd) ?? {};
    const kind = isWritten ? meet({ op: "close", path, makes: true }) : undefined;
    if (kind === undefined) return run();
    // Whatever it answers, the descriptor is free afterwards.
    if (!kind.startsWith("kill")) await run();
    return strike(kind, { syscall: "close", run });
  };
}

function patchSync() {
  const guard = (run) => {
    const before = isInside;
    isInside = true;
    try {
      return run();
    } finally {
      isInside = before;
    }
  };
  for (const [name, syscall, changed, makes] of PATH_CALLS) {
    const original = fs[`${name}Sync`];
    if (original === undefined) continue;
    fs[`${name}Sync`] = (...args) => {
      const path =
        typeof args[changed] === "number" ? opened.get(args[changed])?.path : asPath(args[changed]);
      const kind = meet({ op: `${name}Sync`, path, makes });
      const run = (others = args) => guard(() => original.apply(fs, others));
      if (kind === undefined) return run();
      return strikeSync(kind, { syscall, ...pathsOf(args, changed, syscall), run, half: halfOf(name, args) });
    };
  }
  const { openSync, closeSync } = own;
  fs.openSync = (path, flags, ...rest) => {
    const run = () => {
      const fd = openSync.call(fs, path, flags, ...rest);
      opened.set(fd, { path: asPath(path) });
      return fd;
    };
    const kind = isMaking(flags) ? meet({ op: "openSync", path: asPath(path), makes: true }) : undefined;
    return kind === undefined ? run() : strikeSync(kind, { syscall: "open", path: asPath(path), run });
  };
  fs.closeSync = (fd) => {
    opened.delete(fd);
    return closeSync.call(fs, fd);
  };
  for (const [, name, syscall, makes] of HANDLE_CALLS) {
    const original = fs[`${name}Sync`];
    if (original === undefined) continue;
    fs[`${name}Sync`] = (fd, ...args) => {
      const kind = meet({ op: `${name}Sync`, path: opened.get(fd)?.path, makes });
      const run = (others = args) => guard(() => original.call(fs, fd, ...others));
      if (kind === undefined) return run();
      const half = WRITES.has(name) ? halve(name, args) : undefined;
      return strikeSync(kind, { syscall, run, half, isShort: true });
    };
  }
}

/** Functions with a callback, by which Node's own streams and `rm` reach files. */
function patchCallbacks() {
  const answer = (promise, callback) =>
    promise.then(
      (result) => process.nextTick(callback, null, ...(Array.isArray(result) ? result : [result])),
      (error) => process.nextTick(callback, error),
    );
  const called = (original, args) =>
    new Promise((done, fail) => {
      original.call(fs, ...args, (error, ...results) => (error ? fail(error) : done(results)));
    });
  const wrap = (name, describe) => {
    const original = fs[name];
    const wrapped = (...args) => {
      const callback = args.at(-1);
      if (typeof callback !== "function" || isInside) return original.apply(fs, args);
      const rest = args.slice(0, -1);
      const told = describe(rest);
      const kind = told === undefined ? undefined : meet({ op: name, ...told });
      if (kind === undefined) return original.apply(fs, args);
      const run = (others = rest) => called(original, others);
      answer(strike(kind, { ...told.strike, run }), callback);
    };
    // Node promisifies some of them in its own way.
    fs[name] = Object.defineProperties(wrapped, Object.getOwnPropertyDescriptors(original));
  };
  for (const [name, syscall, changed, makes] of PATH_CALLS)
    wrap(name, (args) => ({
      path: asPath(args[changed]),
      makes,
      strike: { syscall, ...pathsOf(args, changed, syscall), half: halfOf(name, args) },
    }));
  for (const [, name, syscall, makes] of HANDLE_CALLS.filter(([, name]) => name !== undefined))
    wrap(name, ([fd, ...args]) => {
      const { path, sites } = opened.get(fd) ?? {};
      const half = WRITES.has(name) ? [fd, ...halve(name, args)] : undefined;
      return { path, makes, sites, strike: { syscall, half, isShort: true } };
    });
  const { createWriteStream } = fs;
  const { open } = fs;
  const streams = new Map();
  fs.createWriteStream = (path, ...rest) => {
    streams.set(asPath(path), findSites());
    return createWriteStream.call(fs, path, ...rest);
  };
  fs.open = (path, ...args) => {
    const callback = args.at(-1);
    const [flags] = args.length > 1 ? args : [];
    const sites = streams.get(asPath(path));
    const kind = isMaking(flags) ? meet({ op: "open", path: asPath(path), makes: true, sites }) : undefined;
    const run = () =>
      called(open, [path, ...args.slice(0, -1)]).then(([fd]) => {
        opened.set(fd, { path: asPath(path), sites });
        return [fd];
      });
    answer(kind === undefined ? run() : strike(kind, { syscall: "open", path: asPath(path), run }), callback);
  };
}

if (injection !== null) {
  patchPromises();
  patchSync();
  patchCallbacks();
  syncBuiltinESMExports();
}
