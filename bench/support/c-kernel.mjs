import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SHUFFLES = 1024;
const STATICS = 4 * 2 ** 20;

/**
 * Compiles bench/native/mismatch.c for the addresses that `constants` (the exports of the AssemblyScript module) name.
 * Takes LOGRATIO_CLANG, else clang on the path.
 *
 * @returns `{ exports, version }`, where exports have the shape of the AssemblyScript module's, or `{ missing }`.
 */
export function compileC(constants) {
  const clang = process.env.LOGRATIO_CLANG ?? "clang";
  const targets = spawnSync(clang, ["--print-targets"], { encoding: "utf8" });
  if (targets.status !== 0)
    return { missing: `there is no ${clang}; set LOGRATIO_CLANG to a clang that has the wasm32 target` };
  if (!targets.stdout.includes("wasm32")) return { missing: `${clang} lacks the wasm32 target` };
  const version =
    spawnSync(clang, ["--version"], { encoding: "utf8" }).stdout.match(/version (\S+)/)?.[1] ?? "";
  const folder = mkdtempSync(join(tmpdir(), "bench-c-"));
  try {
    const output = join(folder, "mismatch.wasm");
    const addresses = Object.entries(constants)
      .filter(([, value]) => value instanceof WebAssembly.Global)
      .map(([name, { value }]) => `-D${name}=${value}`);
    const source = fileURLToPath(new URL("../native/mismatch.c", import.meta.url));
    const linker = [
      `--global-base=${STATICS}`,
      `--initial-memory=${2 * STATICS}`,
      "--no-entry",
      "--strip-all",
    ];
    const build = spawnSync(
      clang,
      [
        ...[
          "--target=wasm32",
          "-msimd128",
          "-O3",
          "-fno-math-errno",
          "-ffp-contract=off",
          "-nostdlib",
          "-ffreestanding",
        ],
        ...[
          ...addresses,
          `-DSHUFFLES=${SHUFFLES}`,
          ...linker.map((flag) => `-Wl,${flag}`),
          source,
          "-o",
          output,
        ],
      ],
      { encoding: "utf8" },
    );
    if (build.status !== 0)
      return { missing: `clang ${version} failed: ${build.stderr.trim().split("\n")[0]}` };
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(output)));
    exports.init();
    return { exports: { ...constants, ...exports }, version };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
