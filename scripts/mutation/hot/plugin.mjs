// A Stryker test runner over Vitest that loads the code once. Stryker's own runner starts a worker and reloads every
// module for each mutant, which takes half a second or more; with the modules kept, a mutant costs only its tests. Only
// mutants in code that runs while a module loads need fresh modules (`reloadEnvironment`).
import { dirname, relative, resolve } from "node:path";
import { BroadcastChannel } from "node:worker_threads";
import { createVitest } from "vitest/node";

const [SUCCESS, FAILED, SKIPPED] = [0, 1, 2];
/** Tests that take longer are tried last. */
const SLOW_MS = 200;

const HOLDERS = Object.entries(JSON.parse(process.env.MUTATION_HOLDERS ?? "{}"));

function findHolders(fileName) {
  const path = relative(process.cwd(), fileName).replaceAll("\\", "/");
  const found = HOLDERS.find(([folder]) => path.includes(`${folder}/`));
  return { folder: found?.[0] ?? "", globs: found?.[1] ?? [] };
}

/** Matches the three forms of folders.mjs: a file, all tests in a folder, all tests below one. */
function matchesGlob(path, glob) {
  if (!glob.includes("*")) return path === glob;
  if (glob.endsWith("/**/*.test.ts")) return path.startsWith(glob.slice(0, -"**/*.test.ts".length));
  return dirname(path) === dirname(glob);
}

function groupByFile(ids) {
  const files = new Map();
  for (const id of ids) {
    const [file, ...name] = id.split("#");
    const names = files.get(file) ?? [];
    names.push(name.join("#"));
    files.set(file, names);
  }
  return [...files].map(([file, names]) => ({ file: resolve(file), names }));
}

class HotTestRunner {
  #vitest;
  #channel;
  #files = [];
  /** Milliseconds of each test in the dry run; empty in a process that took over after a timeout. */
  #durations = new Map();
  #settle;

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init() {
    process.env.NODE_ENV = "test";
    process.env.VITEST = "1";
    this.#vitest = await createVitest("test", {
      config: resolve("test/mutation/vitest.config.ts"),
      runner: resolve("scripts/mutation/hot/worker.mjs"),
      pool: "threads",
      isolate: false,
      maxWorkers: 1,
      watch: false,
      bail: 0,
      coverage: { enabled: false },
      reporters: [{}],
      onConsoleLog: () => false,
    });
    const idle = resolve("scripts/mutation/hot/idle.ts");
    const found = await this.#vitest.globTestSpecifications();
    this.#files = found.map(({ moduleId }) => moduleId).filter((file) => file !== idle);
    const channel = new BroadcastChannel(`mutation-${process.pid}`);
    this.#channel = channel;
    const ready = new Promise((settle) => {
      channel.onmessage = ({ data }) => {
        if (data.ready) settle();
        else if (data.answer) this.#settle?.(data.answer);
      };
    });
    const run = this.#vitest.start([idle]);
    const ended = run.then(() => {
      throw new Error(`Vitest did not start: ${[...this.#vitest.state.errorsSet].map(String).join("\n")}`);
    });
    ended.catch(() => {});
    await Promise.race([ready, ended]);
  }

  async #ask(order) {
    const answer = await new Promise((settle) => {
      this.#settle = settle;
      this.#channel.postMessage({ order });
    });
    if (answer.error) throw new Error(answer.error);
    return answer;
  }

  async dryRun() {
    const { tests, coverage } = await this.#ask({ kind: "dry", files: this.#files });
    for (const { id, duration } of tests) this.#durations.set(id, duration);
    return {
      status: "complete",
      mutantCoverage: coverage,
      tests: tests.map(({ id, state, duration, message }) => ({
        id,
        name: id.slice(id.indexOf("#") + 1),
        fileName: resolve(id.slice(0, id.indexOf("#"))),
        timeSpentMs: duration,
        ...(state === "fail" || (state === "skip" && message)
          ? { status: FAILED, failureMessage: message }
          : { status: state === "pass" ? SUCCESS : SKIPPED }),
      })),
    };
  }

  async mutantRun({ activeMutant, testFilter, hitLimit, mutantActivation, reloadEnvironment }) {
    const { failure, hits } = await this.#ask({
      kind: "mutant",
      mutant: activeMutant.id,
      files: this.#listFiles(testFilter, findHolders(activeMutant.fileName)),
      hitLimit,
      isStatic: mutantActivation === "static",
      reload: reloadEnvironment,
    });
    if (hitLimit !== undefined && hits > hitLimit) return { status: "timeout", reason: "ran without end" };
    return failure === undefined
      ? { status: "survived", nrOfTests: testFilter?.length ?? 0 }
      : { status: "killed", killedBy: [failure.test], failureMessage: failure.message, nrOfTests: 1 };
  }

  /**
   * Among the tests that count for the mutant's folder, those of a filter by file, or all without a filter. The
   * folder's own come first, and quick ones of all files before slow ones: these notice most mutants, and the first
   * test that fails ends the run.
   */
  #listFiles(testFilter, { folder, globs }) {
    const isHolder = (file) =>
      globs.some((glob) => matchesGlob(relative(process.cwd(), resolve(file)), glob));
    const isElsewhere = ({ file }) => (relative(process.cwd(), file).startsWith(`${folder}/`) ? 0 : 1);
    const order = (files) => files.sort((one, other) => isElsewhere(one) - isElsewhere(other));
    if (testFilter === undefined)
      return order(
        this.#files
          .filter(isHolder)
          .map((file) => ({ file }))
          .sort((one, other) => this.#measureFile(one.file) - this.#measureFile(other.file)),
      );
    const ids = testFilter.filter((id) => isHolder(id.slice(0, id.indexOf("#"))));
    const isSlow = (id) => (this.#durations.get(id) ?? 0) > SLOW_MS;
    return [
      ...order(groupByFile(ids.filter((id) => !isSlow(id)))),
      ...order(groupByFile(ids.filter(isSlow))),
    ];
  }

  /** Milliseconds that all tests of a file took in the dry run. */
  #measureFile(file) {
    let sum = 0;
    for (const [id, duration] of this.#durations)
      if (resolve(id.slice(0, id.indexOf("#"))) === file) sum += duration;
    return sum;
  }

  async dispose() {
    this.#channel?.postMessage({ order: { kind: "end" } });
    this.#channel?.close();
    await this.#vitest?.close();
  }
}

export const strykerPlugins = [{ kind: "TestRunner", name: "hot", injectableClass: HotTestRunner }];
