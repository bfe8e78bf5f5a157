import { signal } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { formatCount, formatCounted } from "../../../../src/render/text/display/index.ts";
import type { GroupPage, GroupSample } from "../../../../src/results/page.ts";
import type { RunInfo } from "../../../../src/results/view.ts";
import { client } from "../../api/client.ts";
import { useKeys } from "../../state/keys.ts";
import { type Loaded, settle, table } from "../../state/loaded.ts";
import { useNamedAddress, useSequencePlace } from "../../state/sequence-place.ts";
import { makeHref, navigate, route } from "../../state/url.ts";
import { paletteNamed } from "../../ui/color-scale.ts";
import { deltaScale, Legend } from "../../ui/legend.tsx";
import { MissingSequence } from "../../ui/missing-sequence.tsx";
import { ReportTable } from "../../ui/report-table.tsx";
import { WhenLoaded } from "../../ui/when-loaded.tsx";
import type { ViewProps } from "../../view-props.ts";
import { Sample } from "./sample.tsx";
import "./style.css";

/** Samples that are drawn at first: a group may have hundreds. */
const FIRST = 32;

/** The samples of one prompt side by side: `#/group/s12.q40`, with the handle of the first. */
export function GroupView({ info }: ViewProps) {
  const place = useSequencePlace(table);
  if (place.state !== "ready") return <MissingSequence of={place} info={info} />;
  return <GroupAt info={info} index={place.value.index} />;
}

function GroupAt({ info, index }: ViewProps & { readonly index: number }) {
  const isThere = index < info.sequences;
  const state = info.growing ?? info.version;
  const loaded = useMemo(() => {
    const asked = signal<Loaded<GroupPage>>({ state: "loading" });
    if (isThere) void settle(client.group(index), asked);
    return asked;
  }, [index, isThere, state, info.sequences]);
  const named = loaded.value.state === "ready" ? table().value : undefined;
  useNamedAddress(named?.state === "ready" ? named.value : undefined);
  if (!isThere) {
    return (
      <p class="failed" role="alert">
        There is no sequence {index} and no group of it: this run has{" "}
        {formatCounted(info.sequences, "sequence")}, counted from 0.
      </p>
    );
  }
  return <WhenLoaded of={loaded}>{(page) => <Group key={page.first} info={info} page={page} />}</WhenLoaded>;
}

function Group({ info, page }: { readonly info: RunInfo; readonly page: GroupPage }) {
  const { samples, group, title, events } = page;
  const { filter, steps } = route.value.params;
  const root = useRef<HTMLElement>(null);
  const { at, toggle, open } = useSampleKeys(samples, root);
  const [most, setMost] = useState(FIRST);
  return (
    <article
      class="group-view scaled"
      ref={root}
      data-palette={paletteNamed(route.value.params.palette ?? "")}
    >
      <header>
        <h1>{title}</h1>
        <p>
          {page.outcome}. {group !== null && <span class="muted">group {group} </span>}
          <a href={makeHref({ view: "sequences", sequence: undefined, params: { layout: "groups" } })}>
            all groups
          </a>
        </p>
        {(filter !== undefined || steps !== undefined) && (
          <p class="muted">All samples of the group: the filter and the chosen steps do not apply here.</p>
        )}
      </header>
      <Prompt info={info} page={page} />
      {events !== null && <ReportTable table={events} />}
      <section aria-labelledby="samples-title">
        <h2 id="samples-title">{formatCounted(samples.length, "sample")}, the best reward first</h2>
        <p class="muted scale-line">
          <Legend scale={deltaScale(info.scales)} signed />
          <span>
            Strips are as long as the responses (the longest has {formatCounted(page.longest, "token")}).
            {samples.length > 1 && " ▼ marks where a sample starts to differ from all others."}
          </span>
        </p>
        <ol class="samples">
          {samples.slice(0, most).map((sample, place) => (
            <Sample
              key={sample.sequence}
              {...{ info, page, sample }}
              isCurrent={place === at}
              isOpen={open.has(sample.sequence)}
              onToggle={() => toggle(sample.sequence)}
            />
          ))}
        </ol>
        {most < samples.length && (
          <button type="button" onClick={() => setMost(samples.length)}>
            Show the other {formatCount(samples.length - most)}
          </button>
        )}
      </section>
    </article>
  );
}

/** `open=` has the samples whose text is shown; `at=` is the current one. */
function useSampleKeys(samples: readonly GroupSample[], root: { readonly current: HTMLElement | null }) {
  const { params } = route.value;
  const open = new Set((params["text-of"] ?? "").split(",").filter(Boolean).map(Number));
  const [at, setAt] = useState(-1);
  const toggle = (sequence: number): void => {
    const next = open.has(sequence) ? [...open].filter((other) => other !== sequence) : [...open, sequence];
    const text = next.length === 0 ? undefined : next.join(",");
    navigate({ params: { "text-of": text } }, { replace: true });
  };
  const go = (to: number): void => setAt(Math.max(0, Math.min(samples.length - 1, to)));
  useEffect(() => {
    root.current?.querySelector(".sample.current")?.scrollIntoView({ block: "nearest" });
  }, [at]);
  const current = samples[at];
  useKeys({
    j: { describe: "next sample", run: () => go(at + 1) },
    k: { describe: "previous sample", run: () => go(at - 1) },
    " ": { describe: "show or hide the sample's text", run: () => current && toggle(current.sequence) },
    Enter: {
      describe: "open the sample's page",
      run: () => current && navigate({ view: "sequence", sequence: current.sequence, token: undefined }),
    },
    Escape: {
      describe: "hide the texts, then back to the groups",
      run: () =>
        open.size > 0
          ? navigate({ params: { "text-of": undefined } }, { replace: true })
          : navigate({ view: "sequences", sequence: undefined, params: { layout: "groups" } }),
    },
  });
  return { at, toggle, open };
}

function Prompt({ info, page }: { readonly info: RunInfo; readonly page: GroupPage }) {
  const { prompt, prompt_tokens, prompts_differ, shared, samples } = page;
  return (
    <section class="group-prompt" aria-labelledby="prompt-title">
      <h2 id="prompt-title">Prompt</h2>
      {prompts_differ && <p>Prompts of the group differ: this is the first sample's.</p>}
      {prompt !== null ? (
        <p class="text">{prompt}</p>
      ) : (
        <p class="muted">
          {prompt_tokens > 0 && `${formatCounted(prompt_tokens, "token")}. `}
          {info.redacted
            ? "Texts are redacted."
            : "Its text is unknown; logratio view --tokenizer DIR shows it."}
        </p>
      )}
      {shared.tokens > 0 && (
        <details>
          <summary>
            All {formatCount(samples.length)} begin with the same {formatCounted(shared.tokens, "token")}
          </summary>
          <p class="text">{shared.text || "their text is unknown"}</p>
        </details>
      )}
    </section>
  );
}
