// The built `logratio view` as a process.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** The build to measure and test. */
export const DIST = process.env.LOGRATIO_DIST ?? fileURLToPath(new URL("../../dist", import.meta.url));
/** The command line of that build. */
export const PROGRAM =
  process.env.LOGRATIO_DIST === undefined
    ? fileURLToPath(new URL("../../bin/logratio.js", import.meta.url))
    : join(DIST, "apps/cli/main.js");
const STARTS_MS = 60_000;

/** A busy server may close an idle connection just when it is reused; a server that has ended refuses every try. */
const MOST_TRIES = 20;

/** A viewer gives its address before it has read the run; this resolves once it has. @throws if the viewer ends */
export async function untilRead(url) {
  const address = new URL("api/run", url);
  const token = new URL(url).searchParams.get("token");
  const headers = token === null ? {} : { authorization: `Bearer ${token}` };
  for (let failed = 0; ; ) {
    const answer = await fetch(address, { headers }).catch((error) => {
      if (++failed > MOST_TRIES) throw error;
    });
    if (answer === undefined) {
      await sleep(50);
      continue;
    }
    // Pages of a single policy have no such answer, and are complete when they exist.
    if (!answer.ok) return;
    const { kind, status } = await answer.json();
    if (kind !== "view-waiting" && status !== "reading" && status !== "preparing") return;
    await sleep(50);
  }
}

/**
 * Starts `logratio view` with these words at a free port. Resolves once it has read the run or, with `--follow`, once
 * it gives its address. The address has no token unless asked for, so that programs can use it, too.
 */
export function startView(words, { token = false } = {}) {
  for (const file of ["apps/cli/main.js", "web/index.html"])
    if (!existsSync(join(DIST, file))) throw new Error(`${join(DIST, file)} is missing: npm run build`);
  const child = spawn(
    process.execPath,
    [PROGRAM, "view", ...words, ...["--port", "0", "--no-open"], ...(token ? [] : ["--no-token"])],
    { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, NO_COLOR: "1" } },
  );
  let [out, said] = ["", ""];
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const server = {
    url: "",
    messages: () => said,
    stop: async () => {
      child.kill("SIGINT");
      return await ended;
    },
  };
  return new Promise((resolve, reject) => {
    const fail = (why) => {
      child.kill();
      reject(new Error(`logratio view ${words.join(" ")} ${why}: ${said}`));
    };
    const timer = setTimeout(() => fail(`did not start within ${STARTS_MS} ms`), STARTS_MS);
    child.once("exit", (status) => fail(`ended with status ${status}`));
    child.stderr.on("data", (data) => {
      said += data;
    });
    child.stdout.on("data", (data) => {
      out += data;
      const url = out.match(/^http:\S+$/gm)?.at(-1);
      if (url === undefined || url === server.url) return;
      server.url = url;
      const read = words.includes("--follow") ? Promise.resolve() : untilRead(url);
      read.then(
        () => {
          if (server.url !== url) return;
          clearTimeout(timer);
          resolve(server);
        },
        // A run that turns out to have one policy is served again, elsewhere; a server that ended says so itself.
        () => {},
      );
    });
  });
}
