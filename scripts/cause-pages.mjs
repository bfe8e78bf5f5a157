// npm run build, then node scripts/cause-pages.mjs: writes the section "Fix" of docs/causes/<id>.md from the lines that
// the doctor itself gives, so that page and program agree. With --check it writes nothing and fails if they differ.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CAUSES } from "../dist/analyses/doctor/causes/catalog.js";

const FOLDER = fileURLToPath(new URL("../docs/causes/", import.meta.url));
const NAMES = {
  vllm: "vLLM",
  sglang: "SGLang",
  trl: "TRL",
  skyrl: "SkyRL",
  "nemo-rl": "NeMo RL",
  megatron: "Megatron",
};
const NOTHING = "Nothing to fix.";

const isCheck = process.argv.includes("--check");
const stale = [];
for (const { id, fix } of CAUSES.values()) {
  if (id === "cannot_tell") continue;
  const path = join(FOLDER, `${id}.md`);
  const text = readFileSync(path, "utf8");
  const lines = fix.map(
    ({ trainer, line, is_code: isCode, note }) =>
      `- **${trainer === null ? "any trainer" : (NAMES[trainer] ?? trainer)}**: ${isCode ? `\`${line}\`` : `${line}.`}\n  ${note}`,
  );
  const section = `## Fix\n\n${lines.length > 0 ? lines.join("\n") : NOTHING}\n\n## Sources`;
  const fresh = text.replace(/## Fix\n[\s\S]*?\n## Sources/, () => section);
  if (fresh === text) continue;
  stale.push(id);
  if (!isCheck) writeFileSync(path, fresh);
}
if (isCheck) for (const id of stale) console.error(`docs/causes/${id}.md: its fixes are not the doctor's`);
console.log(`cause pages: ${CAUSES.size - 1}, ${stale.length} ${isCheck ? "stale" : "written"}`);
process.exit(isCheck && stale.length > 0 ? 1 : 0);
