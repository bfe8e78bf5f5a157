// node scripts/complete-lock.mjs: adds to package-lock.json the optional packages for other platforms that the registry
// did not offer when the lock was written (mirrors often have one platform only), and asks npm's registry for missing
// hashes. `npm ci` refuses a lock without these packages; without a hash, it would install anything that it gets, and
// most of this is native code.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const path = new URL("../package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(path, "utf8"));
const SYSTEMS = [
  "aix",
  "android",
  "darwin",
  "freebsd",
  "linux",
  "netbsd",
  "openbsd",
  "openharmony",
  "sunos",
  "win32",
];
const PROCESSORS = [
  "arm",
  "arm64",
  "ia32",
  "loong64",
  "mips64el",
  "ppc64",
  "riscv64",
  "s390x",
  "wasm32",
  "x64",
];

const added = [];
for (const parent of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    const key = `node_modules/${name}`;
    if (lock.packages[key] !== undefined) continue;
    const words = name.split("/").at(-1).split("-");
    const os = words.filter((word) => SYSTEMS.includes(word));
    const cpu = words.filter((word) => PROCESSORS.includes(word));
    if (os.length + cpu.length === 0) continue;
    const libc = words.some((word) => word.startsWith("musl"))
      ? ["musl"]
      : words.includes("gnu")
        ? ["glibc"]
        : [];
    lock.packages[key] = {
      version: version.replace(/^[~^]/, ""),
      ...(cpu.length > 0 && { cpu }),
      ...(parent.dev && { dev: true }),
      ...(libc.length > 0 && { libc }),
      optional: true,
      ...(os.length > 0 && { os }),
    };
    added.push(name);
  }
}
const hashed = [];
for (const [key, entry] of Object.entries(lock.packages)) {
  if (key === "" || entry.link || entry.integrity !== undefined) continue;
  const name = `${key.slice(key.lastIndexOf("node_modules/") + "node_modules/".length)}@${entry.version}`;
  const dist = JSON.parse(
    execFileSync("npm", ["view", name, "dist", "--json"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
      shell: process.platform === "win32",
    }),
  );
  const { version, ...rest } = entry;
  // Without the address, like all others: `npm ci` takes it from the configured registry and checks the hash.
  lock.packages[key] = { version, integrity: dist.integrity, ...rest };
  hashed.push(name);
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added.length} packages named: ${added.join(", ") || "none was missing"}`);
console.log(`${hashed.length} hashes added: ${hashed.join(", ") || "none was missing"}`);
