// `logratio serve` as a process, and writers that act like recorders.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { PROGRAM } from "./view-server.mjs";

const STARTS_MS = 60_000;

/** Starts `logratio serve DIRECTORY` at a free port, and resolves once it listens. */
export function startServe(directory, words = [], env = {}) {
  const from = performance.now();
  const child = spawn(process.execPath, [PROGRAM, "serve", directory, "--port", "0", ...words], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NO_COLOR: "1", LOGRATIO_TOKEN: "", ...env },
  });
  let [out, said] = ["", ""];
  const ended = new Promise((resolve) => {
    child.once("exit", (status, signal) => resolve(status ?? signal));
  });
  const server = {
    url: "",
    pid: child.pid,
    startedIn: 0,
    messages: () => said,
    ended,
    stop: (signal = "SIGTERM") => {
      child.kill(signal);
      return ended;
    },
  };
  return new Promise((resolve, reject) => {
    const fail = (why) => {
      child.kill("SIGKILL");
      reject(new Error(`logratio serve ${words.join(" ")} ${why}: ${said}`));
    };
    const timer = setTimeout(() => fail(`did not start within ${STARTS_MS} ms`), STARTS_MS);
    child.once("exit", (status) => {
      clearTimeout(timer);
      fail(`ended with status ${status}`);
    });
    child.stderr.on("data", (data) => {
      said += data;
    });
    child.stdout.on("data", (data) => {
      out += data;
      const url = /^(http:\S+)\/$/m.exec(out)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      server.url = url;
      server.startedIn = performance.now() - from;
      resolve(server);
    });
  });
}

/** A server in plain Node that accepts requests of {@link putBatch} and drops them. */
export function startReceiver() {
  const script = fileURLToPath(new URL("plain-receiver.mjs", import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    child.once("exit", (status) => reject(new Error(`the receiver ended with ${status}`)));
    child.stdout.once("data", (data) =>
      resolve({ url: String(data).trim().replace(/\/$/, ""), stop: () => child.kill() }),
    );
  });
}

/**
 * The packed record of a few sequences, whose sample ids name the batch: `STEP.RANK.CALL.ROW`.
 *
 * @param drift nats to subtract from the trainer's log-probs
 */
export function makeBatch({ step, rank = 0, call = 0, sequences = 2, tokens = 16, salt = 0, drift = 0 }) {
  const count = sequences * tokens;
  const logprobs = (seed, shift = 0) =>
    Float32Array.from(
      { length: count },
      (_, i) => -(((i * seed + step * 7 + rank) % 97) + 1 + salt) / 100 - shift,
    );
  const ids = Array.from({ length: sequences }, (_, row) => Buffer.from(`${step}.${rank}.${call}.${row}`));
  const running = (lengths) => {
    let at = 0n;
    return BigInt64Array.from([0n, ...lengths.map((length) => (at += BigInt(length)))]);
  };
  return encodeBatch(
    {
      response_offsets: ["I64", running(new Array(sequences).fill(tokens))],
      "sample_id.offsets": ["I64", running(ids.map(({ length }) => length))],
      rollout_logprobs: ["F32", logprobs(31)],
      trainer_logprobs: ["F32", logprobs(37, drift)],
      response_token_ids: ["I32", Int32Array.from({ length: count }, (_, i) => i % 1000)],
      sample_id: ["U8", Buffer.concat(ids)],
    },
    { "logratio.schema_version": "1", trainer: "recorder", step: String(step), rank: String(rank) },
  );
}

/** A safetensors file of flat arrays. */
export function encodeBatch(columns, metadata) {
  const header = { __metadata__: metadata };
  const pieces = [];
  let at = 0;
  for (const [name, [dtype, values]] of Object.entries(columns)) {
    header[name] = { dtype, shape: [values.length], data_offsets: [at, at + values.byteLength] };
    pieces.push(Buffer.from(values.buffer, values.byteOffset, values.byteLength));
    at += values.byteLength;
  }
  const text = Buffer.from(JSON.stringify(header));
  const start = Buffer.alloc(8 + text.length + (-text.length & 7), " ");
  start.writeBigUInt64LE(BigInt(start.length - 8));
  text.copy(start, 8);
  return Buffer.concat([start, ...pieces]);
}

export function digestHeader(body) {
  return `sha-256=:${createHash("sha256").update(body).digest("base64")}:`;
}

/** Makes one request; rejects without an answer. */
export function putBatch(
  url,
  { run = "run", step, rank = 0, call = 0, launch },
  body,
  { agent, headers = {} } = {},
) {
  const query = new URLSearchParams({ run, step, rank, call, ...(launch && { launch }) });
  const digest = digestHeader(body);
  const from = performance.now();
  return new Promise((resolve, reject) => {
    const asked = request(
      `${url}/api/batches?${query}`,
      {
        method: "PUT",
        agent,
        headers: { "content-length": body.length, "content-digest": digest, ...headers },
      },
      (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (data) => {
          text += data;
        });
        answer.once("end", () =>
          resolve({ status: answer.statusCode, headers: answer.headers, text, ms: performance.now() - from }),
        );
        answer.once("error", reject);
      },
    );
    asked.once("error", reject);
    asked.end(body);
  });
}

/**
 * A recorder that never gives up: batches of its rank, each sent until it is acknowledged.
 *
 * @param urlOf gives the server's current address, which may change after a kill
 * @returns the acknowledged keys in order, and the milliseconds of each that was accepted at the first try
 */
export async function writeBatches({
  urlOf,
  run = "run",
  rank,
  batches,
  shape = {},
  isOver = () => false,
  onAck,
}) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const acknowledged = [];
  const latencies = [];
  const counts = { refused: 0, lost: 0 };
  for (let step = 0; step < batches && !isOver(); step++) {
    const body = makeBatch({ step, rank, ...shape });
    for (let tries = 0; !isOver(); tries++) {
      try {
        const { status, ms } = await putBatch(urlOf(), { run, step, rank }, body, { agent });
        if (status === 200 || status === 201) {
          acknowledged.push(`${step}.${rank}.0`);
          if (tries === 0) latencies.push(ms);
          onAck?.();
          break;
        }
        if (status !== 429 && status !== 503)
          throw new Error(`batch ${step} of rank ${rank}: status ${status}`);
        counts.refused++;
        await sleep(20 + Math.random() * 100);
      } catch (error) {
        if (error.code === undefined) throw error;
        counts.lost++;
        await sleep(20 + Math.random() * 50);
      }
    }
  }
  agent.destroy();
  return { acknowledged, latencies, ...counts };
}
