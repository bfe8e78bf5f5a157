// node scripts/complete-lock.mjs: names in package-lock.json the optional packages for other platforms that the
// registry did not offer when the lock was written (mirrors often hold one platform). `npm ci` refuses a lock without
// them; their integrity is checked where they are installed, by the registry there.
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
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added.length} packages named: ${added.join(", ") || "none was missing"}`);
