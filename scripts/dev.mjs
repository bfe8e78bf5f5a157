// npm run dev [-- PATH… FLAG…]: the page from its sources, reloaded as they are edited, over a `logratio view` that is
// started here on the demo, or on what stands behind `--`.
//
// The viewer keeps every rule that it has. Vite hands requests on as they came and adds nothing to them, so the token is
// asked of the browser, and host and origin are those of the one address that is printed. Cookies know no ports: the
// one that the viewer sets behind Vite comes back to it through Vite.
import { execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createServer } from "vite";
import { findStalePart, ROOT } from "./support/build-state.mjs";

const DEMO = [join(ROOT, "examples/demo"), "--tokenizer", join(ROOT, "examples/demo/tokenizer")];
const HOST = "127.0.0.1";
const words = process.argv.slice(2).filter((word, at) => at > 0 || word !== "--");

/** The server is run as it was built; the page is not, but the server does not start without one. */
function buildWhatIsStale() {
  const problem = findStalePart("program");
  if (problem !== undefined) console.log(`building, since ${problem}`);
  const node = (...args) => execFileSync(process.execPath, args, { cwd: ROOT, stdio: "inherit" });
  if (!existsSync(join(ROOT, "dist/web/index.html"))) node("scripts/build.mjs");
  else if (problem !== undefined) node("node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json");
}

/** Starts the viewer; resolves with its address, token and all. */
function startView() {
  const args = [join(ROOT, "bin/logratio.js"), "view", ...(words.length > 0 ? words : DEMO)];
  const child = spawn(process.execPath, [...args, "--port", "0", "--no-open"], {
    // npm runs scripts in the package; paths are meant from where it was called.
    cwd: process.env.INIT_CWD ?? process.cwd(),
    stdio: ["ignore", "pipe", "inherit"],
    // Else Ctrl-C would reach it by the terminal and by `end` as well, and a second signal ends it without tidying up.
    detached: process.platform !== "win32",
  });
  const address = new Promise((resolve, reject) => {
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      out += text;
      const [url] = /^http:\S+$/m.exec(out) ?? [];
      if (url !== undefined) resolve(new URL(url));
    });
    child.once("exit", (status) => reject(new Error(`logratio view ended with status ${status}`)));
  });
  return { child, address };
}

/**
 * The page's own security policy, so that what it forbids is seen while developing, less what Vite cannot do without:
 * it puts styles into the document as text, and hears of edits over a web socket.
 */
function relaxPolicy(policy) {
  const relaxed = policy.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'");
  if (relaxed === policy) throw new Error(`the viewer's policy has no style-src 'self': ${policy}`);
  return `${relaxed}; connect-src 'self' ws://${HOST}:*`;
}

/** Requests that bring the token go to the viewer, which turns it into its cookie and sends the browser back. */
const bringsToken = (request) => new URL(request.url, `http://${HOST}`).searchParams.has("token");

async function startPage(viewer) {
  const answer = await fetch(viewer, { redirect: "manual" });
  const policy = relaxPolicy(answer.headers.get("content-security-policy") ?? "");
  const proxy = { target: viewer.origin, changeOrigin: false };
  const server = await createServer({
    configFile: join(ROOT, "web/vite.config.ts"),
    // What the product's addresses never name is free for Vite: /src, /@vite, /node_modules.
    server: {
      host: HOST,
      headers: { "content-security-policy": policy },
      proxy: {
        "/api": proxy,
        "^/(\\?.*)?$": { ...proxy, bypass: (request) => (bringsToken(request) ? undefined : request.url) },
      },
      // No more of the disk than the page is made of: what Vite serves, it serves without the token.
      fs: { allow: ["web", "src", "node_modules"].map((folder) => join(ROOT, folder)) },
    },
    logLevel: "warn",
  });
  await server.listen();
  return server;
}

buildWhatIsStale();
const { child, address } = startView();
let page;
let isEnding = false;
async function end(status) {
  if (isEnding) return;
  isEnding = true;
  const gone = child.exitCode === null ? new Promise((resolve) => child.once("exit", resolve)) : undefined;
  child.kill("SIGINT");
  await Promise.all([gone, page?.close()]);
  process.exit(status);
}
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => void end(0));
try {
  const viewer = await address;
  page = await startPage(viewer);
  child.once("exit", (status) => {
    if (!isEnding) console.error(`logratio view ended with status ${status}`);
    void end(1);
  });
  const { port } = page.httpServer.address();
  console.log(`http://${HOST}:${port}/${viewer.search}\n`);
  console.log(
    "edits below web/src show at once; those of the server (src/apps) after Ctrl-C and npm run dev",
  );
} catch (error) {
  if (!isEnding) console.error(error.message);
  await end(1);
}
