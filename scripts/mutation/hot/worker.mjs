// Runs in Vitest's worker thread. The first file that Vitest gives it never ends: the worker then waits for orders from
// the plugin beside this file, runs tests with a mutant switched on, and keeps every module loaded in between.
import { relative } from "node:path";
import { BroadcastChannel } from "node:worker_threads";
import { startTests } from "@vitest/runner";
import { TestRunner, vi } from "vitest";

/** What instrumented code reads and writes; the name is Stryker's. */
const switches = () => {
  globalThis.__stryker__ ??= {};
  return globalThis.__stryker__;
};

const listTasks = (suite) => suite.tasks.flatMap((task) => (task.type === "suite" ? listTasks(task) : task));

/** The name as Vitest has it when it picks tests by pattern: not trimmed, as names may end in a line break. */
const nameTest = (task) => (task.suite ? `${nameTest(task.suite)} ${task.name}` : task.name);

const identify = (test) =>
  `${relative(process.cwd(), test.file.filepath).replaceAll("\\", "/")}#${nameTest(test)}`;

const escapePattern = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

export default class HotRunner extends TestRunner {
  #serving = false;
  /** The message of the first test that failed in this run; later ones are skipped. */
  #failure;

  async onAfterRunFiles(files) {
    await super.onAfterRunFiles(files);
    if (this.#serving) return;
    this.#serving = true;
    // Nothing waits for reports of single tests from here on.
    for (const report of ["onQueued", "onCollectStart", "onCollected", "onTaskUpdate"])
      this[report] = async () => {};
    await this.#serve();
  }

  /** Registers the tests of a file again, while the file's imports stay loaded. */
  importFile(filepath, source) {
    const modules = this.workerState.evaluatedModules;
    const module = modules.getModuleById(filepath);
    if (module && source === "collect") modules.invalidateModule(module);
    return super.importFile(filepath, source);
  }

  async onBeforeRunTask(test) {
    await super.onBeforeRunTask(test);
    if (this.#failure !== undefined) test.mode = "skip";
  }

  onBeforeTryTask(test) {
    switches().currentTestId = identify(test);
    return super.onBeforeTryTask(test);
  }

  onAfterRunTask(test) {
    switches().currentTestId = undefined;
    if (test.result?.state === "fail" && this.#failure === undefined)
      this.#failure = { test: identify(test), message: test.result.errors?.[0]?.message ?? "failed" };
    return super.onAfterRunTask(test);
  }

  #serve() {
    const channel = new BroadcastChannel(`mutation-${process.pid}`);
    return new Promise((resolve) => {
      channel.onmessage = async ({ data: { order } }) => {
        if (order === undefined) return;
        if (order.kind === "end") {
          channel.close();
          resolve();
          return;
        }
        try {
          const answer = order.kind === "dry" ? await this.#runAll(order) : await this.#tryMutant(order);
          channel.postMessage({ answer });
        } catch (error) {
          channel.postMessage({ answer: { error: `${error?.stack ?? error}` } });
        }
      };
      channel.postMessage({ ready: true });
    });
  }

  /** Runs every test without a mutant. Does not stop at failures, but reports them. */
  async #runAll({ files }) {
    const tests = [];
    for (const file of files) {
      for (const { test, state, duration, message } of await this.#runFile(file))
        tests.push({ id: test, state, duration, message });
      this.#failure = undefined;
    }
    return { tests, coverage: switches().mutantCoverage ?? { static: {}, perTest: {} } };
  }

  /** @returns whether a test failed while the mutant was on */
  async #tryMutant(order) {
    let isFresh = order.reload;
    if (isFresh) vi.resetModules();
    let outcome = await this.#attempt(order);
    // A mutant may leave something behind in a module (a cache, a counter). If the failed test also fails without the
    // mutant, or the mutant was never reached (a cache answered), only fresh modules give the answer.
    if (!isFresh && (outcome.failure ? await this.#failsAnyway(outcome.failure) : outcome.hits === 0)) {
      isFresh = true;
      vi.resetModules();
      outcome = await this.#attempt(order);
      vi.resetModules();
    }
    return outcome;
  }

  async #attempt({ mutant, files, hitLimit, isStatic }) {
    const state = switches();
    let hits = 0;
    this.#failure = undefined;
    state.hitLimit = hitLimit;
    for (const { file, names } of files) {
      state.hitCount = 0;
      await this.#runFile(file, names, { mutant, isStatic });
      hits += state.hitCount;
      if (this.#failure !== undefined) break;
    }
    state.activeMutant = undefined;
    state.hitCount = undefined;
    const failure = this.#failure;
    this.#failure = undefined;
    return { failure, hits };
  }

  async #failsAnyway({ test }) {
    const [file, ...name] = test.split("#");
    await this.#runFile(`${process.cwd()}/${file}`, name.length > 0 ? [name.join("#")] : undefined);
    const failed = this.#failure !== undefined;
    this.#failure = undefined;
    return failed;
  }

  /** @param names the tests to run; default all */
  async #runFile(filepath, names, { mutant, isStatic = false } = {}) {
    // Code that runs while modules load sees the mutant only if it is meant to.
    this.activeMutant = mutant;
    switches().activeMutant = isStatic ? mutant : undefined;
    const testNamePattern = names && new RegExp(`^(?:${names.map(escapePattern).join("|")})$`);
    const [file] = await startTests([{ filepath, testNamePattern }], this);
    switches().activeMutant = undefined;
    vi.resetConfig();
    vi.restoreAllMocks();
    // A file that cannot be loaded, or a hook that throws, has no failing test.
    const broken = file.result?.errors?.[0] ?? findSuiteError(file);
    const tests = listTasks(file);
    // If no test ran, the mutant would look as if all tests had passed.
    if (!broken && names && !tests.some(({ result }) => result !== undefined))
      throw new Error(`${filepath} has none of the tests ${names.join(", ")}`);
    if (broken && this.#failure === undefined)
      this.#failure = { test: identify({ file, name: "" }), message: broken.message };
    return tests.map((test) => ({
      test: identify(test),
      state: test.result?.state ?? "skip",
      duration: test.result?.duration ?? 0,
      message: test.result?.errors?.[0]?.message ?? broken?.message,
    }));
  }

  async onBeforeRunFiles(files) {
    await super.onBeforeRunFiles?.(files);
    if (this.activeMutant !== undefined) switches().activeMutant = this.activeMutant;
  }
}

function findSuiteError(suite) {
  for (const task of suite.tasks) {
    if (task.type !== "suite") continue;
    const error = task.result?.errors?.[0] ?? findSuiteError(task);
    if (error) return error;
  }
  return undefined;
}
