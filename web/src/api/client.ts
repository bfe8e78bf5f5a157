/**
 * The server's answers. Everything else in the page asks here, so that a folder of files can answer as well.
 *
 * @module
 */

import type { MismatchReport } from "../../../src/protocol/report.ts";
import type {
  ExactAnswer,
  ExactQuestion,
  RunInfo,
  StepSeries,
  TopTokens,
  WhatIfSums,
} from "../../../src/protocol/view.ts";
import {
  decodeSequence,
  decodeTable,
  decodeTopK,
  type SequenceTable,
  type WireSequence,
  type WireTopK,
} from "../../../src/wire/index.ts";

async function ask(path: string, init?: RequestInit): Promise<Response> {
  const answer = await fetch(`api/${path}`, init).catch((cause: unknown) => {
    throw new Error("the server does not answer: is logratio view still running?", { cause });
  });
  if (answer.ok) return answer;
  const said = await answer.text().catch(() => "");
  throw new Error(said === "" ? `${answer.status} ${answer.statusText}` : said);
}

async function json<T>(path: string, init?: RequestInit): Promise<T> {
  return (await ask(path, init)).json() as Promise<T>;
}

async function bytes(path: string): Promise<Uint8Array> {
  return new Uint8Array(await (await ask(path)).arrayBuffer());
}

/** Keeps the last answers by address; the server's own say when they have changed. */
function remembered<T>(limit: number, fetch: (path: string) => Promise<T>): (path: string) => Promise<T> {
  const kept = new Map<string, Promise<T>>();
  return (path) => {
    const known = kept.get(path);
    if (known !== undefined) {
      kept.delete(path);
      kept.set(path, known);
      return known;
    }
    const asked = fetch(path);
    kept.set(path, asked);
    asked.catch(() => kept.delete(path));
    for (const old of kept.keys()) {
      if (kept.size <= limit) break;
      kept.delete(old);
    }
    return asked;
  };
}

const sequences = remembered(32, async (path) => decodeSequence(await bytes(path)));
const alternatives = remembered(64, async (path) => decodeTopK(await bytes(path)));

export const client = {
  run: (): Promise<RunInfo> => json("run"),
  report: (): Promise<MismatchReport> => json("report"),
  steps: (): Promise<StepSeries> => json("steps"),
  table: async (): Promise<SequenceTable> => decodeTable(await bytes("sequences")),
  sequence: (index: number): Promise<WireSequence> => sequences(`sequence/${index}`),
  topK: (index: number, from: number, count: number): Promise<WireTopK> =>
    alternatives(`sequence/${index}/topk?from=${from}&count=${count}`),
  tokens: (): Promise<TopTokens> => json("tokens"),
  whatIf: (): Promise<WhatIfSums> => json("whatif"),
  exact: (question: ExactQuestion): Promise<ExactAnswer> =>
    json("exact", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(question),
    }),
} as const;
