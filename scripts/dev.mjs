// npm run dev [-- PATH… FLAG…]: the page from its sources, reloaded as they are edited, over a `logratio view` that is
// started here on the demo, or on what follows `--`, and restarted when a file of `src` is saved.
//
// The viewer keeps all its rules. Vite forwards requests unchanged, so the browser must have the token, and host and
// origin are those of the printed address. Cookies do not depend on ports, so the one that the viewer sets behind Vite
// returns to it through Vite. A restarted server has a new token; a browser with the token of an earlier one was let in
// before, and is forwarded with the new token.
import { execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { createServer } from "vite";
import { findStalePart, ROOT } from "./support/build-state.mjs";
import { compileFile, isCompiled } from "./support/compile-file.mjs";

const DEMO = [join(ROOT, "examples/demo"), "--tokenizer", join(ROOT, "examples/demo/tokenizer")];
const HOST = "127.0.0.1";
const words = process.argv.slice(2).filter((word, at) => at > 0 || word !== "--");

/** The server runs from its build. The page does not, but the server does not start without a built page. */
function buildWhatIsStale() {
  const problem = findStalePart("modules");
  if (problem !== undefined) console.log(`building, since ${problem}`);
  const node = (...args) => execFileSync(process.execPath, args, { cwd: ROOT, stdio: "inherit" });
  if (!existsSync(join(ROOT, "dist/web/index.html"))) node("scripts/build.mjs");
  else if (problem !== undefined) node("node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json");
}

/** Starts the viewer; resolves with its address, including the token. Port 0 is any free port. */
function startView(port = "0") {
  const args = [join(ROOT, "dist/apps/cli/main.js"), "view", ...(words.length > 0 ? words : DEMO)];
  const child = spawn(process.execPath, [...args, "--port", port, "--no-open"], {
    // npm runs scripts in the package, but paths are relative to where it was called.
    cwd: process.env.INIT_CWD ?? process.cwd(),
    stdio: ["ignore", "pipe", "inherit"],
    // Otherwise Ctrl-C would reach it both from the terminal and from `end`, and a second signal ends it without
    // cleanup.
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
 * The page's own security policy, so that violations show during development, relaxed where Vite requires it: Vite puts
 * styles into the document as text, and learns of edits over a web socket.
 */
function relaxPolicy(policy) {
  const relaxed = policy.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'");
  if (relaxed === policy) throw new Error(`the viewer's policy has no style-src 'self': ${policy}`);
  return `${relaxed}; connect-src 'self' ws://${HOST}:*`;
}

/** Requests with the token go to the viewer, which turns it into a cookie and redirects the browser. */
const bringsToken = (request) => new URL(request.url, `http://${HOST}`).searchParams.has("token");

/** Tokens of this session's viewers; the last one is that of the running viewer. */
const tokens = [];
const exchangeTokens = (text) => tokens.reduce((given, token) => given.replace(token, tokens.at(-1)), text);

function exchangeHeaders(request) {
  for (const name of ["cookie", "authorization"]) {
    const value = request.getHeader(name);
    if (value !== undefined) request.setHeader(name, exchangeTokens(String(value)));
  }
}

async function startPage(viewer) {
  const answer = await fetch(viewer, { redirect: "manual" });
  const policy = relaxPolicy(answer.headers.get("content-security-policy") ?? "");
  const proxy = {
    target: viewer.origin,
    changeOrigin: false,
    rewrite: exchangeTokens,
    configure: (server) => server.on("proxyReq", exchangeHeaders),
  };
  const server = await createServer({
    configFile: join(ROOT, "web/vite.config.ts"),
    // Vite may use addresses that the product does not: /src, /@vite, /node_modules.
    server: {
      host: HOST,
      headers: { "content-security-policy": policy },
      proxy: {
        "/api": proxy,
        "^/(\\?.*)?$": { ...proxy, bypass: (request) => (bringsToken(request) ? undefined : request.url) },
      },
      // Only the folders that the page is made of, because Vite serves without the token.
      fs: { allow: ["web", "src", "node_modules"].map((folder) => join(ROOT, folder)) },
    },
    logLevel: "warn",
  });
  await server.listen();
  return server;
}

/** The running `logratio view`, and its successors on the same port. */
class Viewer {
  #child;
  #port;
  /** Files saved since the last start. */
  #saved = new Set();
  #restart;
  #isEnding = false;

  /** Resolves with the address once it serves. */
  async start() {
    const { child, address } = startView(this.#port);
    this.#child = child;
    const viewer = await address;
    this.#port = viewer.port;
    const token = viewer.searchParams.get("token");
    if (token !== null) tokens.push(token);
    child.once("exit", (status) => {
      if (this.#child === child && !this.#isEnding)
        console.error(
          `logratio view ended with status ${status}; it starts again when you save a file of src`,
        );
    });
    return viewer;
  }

  /** Files are often saved together; those saved while the server starts wait for the next start. */
  save(file, then) {
    this.#saved.add(file);
    this.#restart ??= this.#startAgain(then).finally(() => {
      this.#restart = undefined;
      if (this.#saved.size > 0 && !this.#isEnding) this.save([...this.#saved][0], then);
    });
  }

  async #startAgain(then) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const files = [...this.#saved];
    this.#saved.clear();
    const problems = files.flatMap(compileFile);
    // Files that do not parse are not run; the last working server stays up.
    if (problems.length > 0) return console.error(problems.join("\n"));
    console.log(`${files.map((file) => relative(ROOT, file)).join(", ")}: the server starts again`);
    try {
      await this.#stop();
      await this.start();
      then();
    } catch (error) {
      if (!this.#isEnding) console.error(`${error.message}; it starts again when you save a file of src`);
    }
  }

  async #stop() {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGINT");
    await gone;
  }

  async end() {
    this.#isEnding = true;
    await this.#stop();
  }
}

buildWhatIsStale();
const viewer = new Viewer();
let page;
let isEnding = false;
async function end(status) {
  if (isEnding) return;
  isEnding = true;
  await Promise.all([viewer.end(), page?.close()]);
  process.exit(status);
}
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => void end(0));
try {
  const address = await viewer.start();
  page = await startPage(address);
  page.watcher.add(join(ROOT, "src")).on("all", (_, file) => {
    if (isCompiled(file)) viewer.save(file, () => page.ws.send({ type: "full-reload" }));
  });
  const { port } = page.httpServer.address();
  console.log(`http://${HOST}:${port}/${address.search}\n`);
  console.log(
    "edits below web/src show at once; after those of src the server starts again, and the page is reloaded",
  );
} catch (error) {
  if (!isEnding) console.error(error.message);
  await end(1);
}
