import { mkdir, writeFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { TOKEN_FLAGS } from "../../../core/base/token-class.ts";
import { turnOfMark } from "../../../core/kernels/turns.ts";
import type { MatchingGroups, MatchingTokens, TokenGroup, TopTokens } from "../../../results/view.ts";
import { decodeMatches } from "../../../results/wire/matches.ts";
import { decodeSequence, type WireSequence } from "../../../results/wire/sequence.ts";
import { prepareRun } from "../prepare/cache/prepare-run.ts";
import type { PreparedRun } from "../prepare/cache/prepared-run.ts";
import { DEMO, DEMO_TOKENIZER, type Workspace, workspace } from "../prepare/made-run.test-data.ts";
import { startViewServer, type ViewServer } from "./start-server.ts";

let work: Workspace;
let run: PreparedRun;
let sequences: WireSequence[];
const servers: ViewServer[] = [];

beforeAll(async () => {
  work = await workspace();
  await mkdir(work.path("page"));
  await writeFile(work.path("page/index.html"), "<!doctype html><title>page</title>");
  run = await prepareRun([DEMO], { tokenizer: DEMO_TOKENIZER, cache: work.path("cache") });
  sequences = [];
  for (let index = 0; index < run.info.sequences; index++)
    sequences.push(decodeSequence((await run.sequence(index))!));
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});
afterAll(async () => {
  await run.close();
  await work.remove();
});

async function serve(shown: PreparedRun): Promise<ViewServer> {
  const server = await startViewServer(shown, { page: work.path("page"), port: 0, token: false });
  servers.push(server);
  return server;
}

function path(server: ViewServer, filter: string, of = "match"): string {
  return `${server.url}api/${of}?filter=${encodeURIComponent(filter)}`;
}

/** Own runs of the demo, one per test: a server closes what it shows. */
const demo = (): Promise<PreparedRun> =>
  prepareRun([DEMO], { tokenizer: DEMO_TOKENIZER, cache: work.path("cache") });

type Holds = (sequence: WireSequence, token: number) => boolean;

const distance = ({ rollout, trainer }: WireSequence, token: number): number =>
  Math.abs(trainer[token]! - rollout[token]!);
const isDigit: Holds = ({ flags, meta }, token) =>
  (flags[meta.promptLength + token]! & TOKEN_FLAGS.digit) !== 0;
const text = ({ texts, textOffsets, meta }: WireSequence, token: number): string => {
  const at = meta.promptLength + token;
  return Buffer.from(texts.subarray(textOffsets[at], textOffsets[at + 1])).toString();
};

const FILTERS: readonly (readonly [filter: string, holds: Holds])[] = [
  ["abs>0.05", (s, t) => s.mask[t] === 1 && distance(s, t) > 0.05],
  [
    "abs>0.01 turn:2 is:number correct:no",
    (s, t) =>
      s.mask[t] === 1 &&
      distance(s, t) > 0.01 &&
      turnOfMark(s.turnMarks[t]!) === 2 &&
      isDigit(s, t) &&
      s.meta.correct === 0,
  ],
  [
    'mask:1 round:1 token:"7" reward<0.5 is:number',
    (s, t) =>
      s.mask[t] === 1 &&
      turnOfMark(s.turnMarks[t]!) === 1 &&
      isDigit(s, t) &&
      text(s, t).includes("7") &&
      s.meta.reward! < 0.5,
  ],
  ["mask:0 is:number", (s, t) => s.mask[t] === 0 && isDigit(s, t)],
  ["-is:number pos<3", (s, t) => s.mask[t] === 1 && !isDigit(s, t) && t < 3],
];

const LATE_STEPS: (typeof FILTERS)[number] = [
  "step:50..150",
  (s, t) => s.mask[t] === 1 && s.meta.step! >= 50,
];

function naively(holds: Holds): { sequence: WireSequence; tokens: number[] }[] {
  return sequences
    .map((sequence) => ({
      sequence,
      tokens: Array.from(sequence.mask.keys()).filter((token) => holds(sequence, token)),
    }))
    .filter(({ tokens }) => tokens.length > 0);
}

interface Place {
  readonly sequence: WireSequence;
  readonly token: number;
}

/** Each group has the sums of its places, and the shares of k3 are of all of them. */
function expectSums(
  groups: readonly TokenGroup[],
  places: readonly Place[],
  key: (place: Place) => string,
  keyOfGroup: (group: TokenGroup) => string = ({ term }) => term!,
): void {
  const k3 = ({ sequence: { rollout, trainer }, token }: Place): number => {
    const delta = trainer[token]! - rollout[token]!;
    return Math.expm1(delta) - delta;
  };
  const all = places.reduce((sum, place) => sum + k3(place), 0);
  const byKey = new Map<string, Place[]>();
  for (const place of places) {
    const own = byKey.get(key(place));
    if (own === undefined) byKey.set(key(place), [place]);
    else own.push(place);
  }
  expect(groups.length).toBe(Math.min(byKey.size, 256));
  for (const group of groups) {
    const own = byKey.get(keyOfGroup(group))!;
    const sizes = own.map(({ sequence, token }) => distance(sequence, token));
    expect(group.tokens).toBe(own.length);
    expect(group.delta_abs_mean).toBeCloseTo(sizes.reduce((a, b) => a + b, 0) / own.length, 6);
    expect(group.delta_abs_max).toBeCloseTo(Math.max(...sizes), 5);
    expect(group.share_of_k3).toBeCloseTo(own.reduce((sum, place) => sum + k3(place), 0) / all, 4);
    const { sequence, token } = group.worst!;
    expect(distance(sequences[sequence]!, token)).toBeCloseTo(group.delta_abs_max, 5);
  }
}

describe("api/match", () => {
  it.each(FILTERS)("answers %s as a look at every token does", async (filter, holds) => {
    const server = await serve(await demo());
    const answer = await fetch(path(server, filter));
    expect(answer.status).toBe(200);
    const found = decodeMatches(new Uint8Array(await answer.arrayBuffer()));
    const meant = naively(holds);
    expect(meant.length).toBeGreaterThan(0);
    expect([...found.sequences]).toEqual(meant.map(({ sequence }) => sequence.meta.index));
    expect([...found.counts]).toEqual(meant.map(({ tokens }) => tokens.length));
    expect([...found.first]).toEqual(meant.map(({ tokens }) => tokens[0]));
    const worst = meant.map(({ sequence, tokens }) =>
      tokens.reduce((a, b) => (distance(sequence, b) > distance(sequence, a) ? b : a)),
    );
    expect([...found.worst]).toEqual(worst);
    const all = meant.flatMap(({ sequence, tokens }) => tokens.map((token) => distance(sequence, token)));
    expect(found.tokens).toBe(all.length);

    const tokens = (await (await fetch(path(server, filter, "match/tokens"))).json()) as MatchingTokens;
    expect(tokens).toMatchObject({ sequences: meant.length, tokens: all.length });
    expect(tokens.occurrences.map(({ delta }) => Math.fround(Math.abs(delta)))).toEqual(
      all
        .map(Math.fround)
        .sort((a, b) => b - a)
        .slice(0, 200),
    );
  });

  it("shows tokens with their context as the list of the whole run does", async () => {
    const server = await serve(await demo());
    const top = JSON.parse(Buffer.from(await run.answer("tokens")).toString()) as MatchingTokens;
    const found = (await (await fetch(path(server, "abs>=0", "match/tokens"))).json()) as MatchingTokens;
    expect(found.tokens).toBe(run.info.tokens);
    const byHandle = new Map(found.occurrences.map((each) => [each.handle, each]));
    for (const each of top.occurrences.slice(0, 50)) expect(byHandle.get(each.handle)).toEqual(each);
  });

  it.each([...FILTERS, LATE_STEPS])(
    "puts the tokens of %s together as a look at every token does",
    async (filter, holds) => {
      const server = await serve(await demo());
      const found = (await (await fetch(path(server, filter, "match/groups"))).json()) as MatchingGroups;
      const meant = naively(holds);
      expect(found.sequences).toBe(meant.length);
      expect(found.tokens).toBe(meant.reduce((sum, { tokens }) => sum + tokens.length, 0));
      const places = meant.flatMap(({ sequence, tokens }) => tokens.map((token) => ({ sequence, token })));
      const isOwnTurns = !filter.includes("mask:");
      expectSums(found.by_token, places, ({ sequence: { ids, meta }, token }) => {
        return `id:${ids[meta.promptLength + token]}`;
      });
      if (isOwnTurns)
        expectSums(found.by_turn, places, ({ sequence, token }) => {
          return `turn:${turnOfMark(sequence.turnMarks[token]!)}`;
        });
      const tenth = ({ sequence, token }: Place): string => {
        const decile = Math.floor((10 * token) / sequence.mask.length);
        return `${10 * decile}–${10 * decile + 10} %`;
      };
      expectSums(found.by_position, places, tenth, ({ label }) => label);
      const numbers = places.filter(({ sequence, token }) => isDigit(sequence, token));
      const own = found.by_class.find(({ term }) => term === "is:number");
      expect(own?.tokens ?? 0).toBe(numbers.length);
    },
  );

  it("puts all tokens together as the groups of the whole run are", async () => {
    const server = await serve(await demo());
    const top = JSON.parse(Buffer.from(await run.answer("tokens")).toString()) as TopTokens;
    const found = (await (await fetch(path(server, "abs>=0", "match/groups"))).json()) as MatchingGroups;
    for (const list of ["by_token", "by_class", "by_position", "by_turn"] as const) {
      expect(found[list].map(({ label, term, tokens }) => ({ label, term, tokens }))).toEqual(
        top[list].map(({ label, term, tokens }) => ({ label, term, tokens })),
      );
      expect(found[list].map(({ worst }) => worst)).toEqual(top[list].map(({ worst }) => worst));
    }
  });

  it("gives each group the term that leaves it alone", async () => {
    const server = await serve(await demo());
    const { by_token, by_turn, by_class } = (await (
      await fetch(path(server, "step:50..150", "match/groups"))
    ).json()) as MatchingGroups;
    for (const { term, tokens } of [by_token[0]!, by_turn[1]!, by_class[0]!]) {
      const alone = await fetch(path(server, `step:50..150 ${term}`, "match/tokens"));
      expect(((await alone.json()) as MatchingTokens).tokens, term!).toBe(tokens);
    }
  });

  it("says what is wrong with a filter", async () => {
    const server = await serve(await demo());
    const refused = async (filter: string): Promise<string> => {
      const answer = await fetch(path(server, filter));
      expect(answer.status, filter).toBe(400);
      return answer.text();
    };
    expect(await refused("is:nmber")).toBe('there is no class "nmber"; the nearest is number\n');
    expect(await refused("abs> rewrd<0")).toContain("abs> needs a value, as in abs>0.5; there is no field");
    expect(await refused(`abs>${"1".repeat(3000)}`)).toContain("3004 characters; the limit is 2000");
    expect((await fetch(`${server.url}api/match`)).status).toBe(400);
  });

  it("asks for a tokenizer where texts are asked for, and for nothing where they are redacted", async () => {
    const bare = await serve(await prepareRun([DEMO], { cache: work.path("bare") }));
    const answer = await fetch(path(bare, "abs>0 is:number"));
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("--tokenizer DIR")]);
    expect((await fetch(path(bare, "abs>0"))).status).toBe(200);
    const redacted = await serve(
      await prepareRun([DEMO], { tokenizer: DEMO_TOKENIZER, redact: "text", cache: work.path("redacted") }),
    );
    const told = await fetch(path(redacted, "token:7"));
    expect([told.status, await told.text()]).toEqual([400, expect.stringContaining("redacted")]);
  });

  it("stops looking when the one who asked has gone", async () => {
    const signals: AbortSignal[] = [];
    const shown = await demo();
    let ended = false;
    const slow: PreparedRun = {
      ...shown,
      async match(_filter, signal) {
        signals.push(signal!);
        while (!signal!.aborted) await setTimeout(5);
        ended = true;
        throw signal!.reason;
      },
    };
    const server = await serve(slow);
    const given = new AbortController();
    const asked = fetch(path(server, "abs>0"), { signal: given.signal });
    await expect.poll(() => signals.length).toBe(1);
    given.abort();
    await expect(asked).rejects.toThrow();
    await expect.poll(() => ended).toBe(true);
    // And the cache does look whether it is to stop.
    await expect(run.match("abs>=0", AbortSignal.abort())).rejects.toThrow();
  });
});
