import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readStudy } from "../../../study/scoring/config/read-study.ts";
import { runStudy } from "../../../study/scoring/run-study.ts";

const at = (path: string): string => fileURLToPath(new URL(`../../../../examples/${path}`, import.meta.url));

export interface ExampleStudy {
  /** The study's directory. */
  readonly dir: string;
  /** Of whatever else a test writes. */
  readonly folder: string;
  remove(): Promise<void>;
}

/** `examples/kl/logits.npz`, scored: four texts of dpo under two checkpoints. */
export async function exampleStudy(): Promise<ExampleStudy> {
  const folder = await mkdtemp(join(tmpdir(), "view-study-"));
  const dir = join(folder, "example.study");
  const logits = at("kl/logits.npz");
  const config = { texts: logits, reference: "dpo", tokenizer: at("demo/tokenizer") };
  const { spec } = await readStudy(config, dir, undefined);
  await runStudy(spec);
  return { dir, folder, remove: () => rm(folder, { recursive: true, force: true }) };
}
