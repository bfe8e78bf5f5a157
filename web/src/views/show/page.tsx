import { formatCounted } from "../../../../src/render/text/display/index.ts";
import { navigate, route } from "../../state/url.ts";
import { HoverCard } from "./card/hover-card.tsx";
import { PinnedCards } from "./card/pinned-cards.tsx";
import { FindBand } from "./find-band.tsx";
import { SequenceHeader } from "./header.tsx";
import { StripLegend } from "./legend.tsx";
import { Minimap } from "./minimap/minimap.tsx";
import { formatRange } from "./model/axis.ts";
import { hitAt } from "./model/find.ts";
import { toggledWith } from "./model/runs.ts";
import type { PageInput } from "./page-state.ts";
import { Readout } from "./readout.tsx";
import { TokenStrip } from "./strip/token-strip.tsx";
import { Toolbar } from "./toolbar.tsx";
import { useSequencePage } from "./use-sequence-page.ts";

/** Everything about one sequence, once it is loaded. */
export function SequencePage(input: PageInput) {
  const { info, source, order } = input;
  const page = useSequencePage(input);
  const { model, linked, alternatives, numbers, choices, values, fates, finding, find, asked } = page;
  const { strip, follow, root, goToPlace, goTo, look, stepFind, pick, setPins, openFind, closeFind } = page;
  const { place, current, pins, toggled, palette, findsText } = choices;
  const card = { model, numbers, fates, alternatives };
  return (
    <article
      ref={root}
      class={`sequence scaled${choices.metric.signed ? " signs" : ""}`}
      data-palette={palette}
    >
      <SequenceHeader
        model={model}
        current={current}
        order={order}
        badge={source.badge}
        group={input.group}
        info={info}
      />
      {(route.value.token ?? 0) >= Math.max(1, model.response) && (
        <p class="failed" role="alert">
          {model.wire.meta.handle} has no token t{route.value.token}: its response has{" "}
          {formatCounted(model.response, "token")}, counted from 0.
        </p>
      )}
      <Toolbar
        choices={choices}
        hasTexts={info.has.texts}
        numbers={info.has.texts ? numbers.any : undefined}
        onFind={openFind}
      />{" "}
      <StripLegend choices={choices} fates={fates} thinks={model.thinking !== undefined} />
      <Minimap
        {...{ model, choices, values, hits: finding?.hits, linked }}
        onJump={goToPlace}
        onRange={(range) =>
          navigate(
            { params: { range: range === undefined ? undefined : formatRange(range) } },
            { replace: true },
          )
        }
      />
      <Readout model={model} choices={choices} numbers={numbers} fates={fates} />
      {(asked.value !== 0 || find !== "") && (
        <FindBand
          {...{ find, finding, findsText }}
          at={finding === undefined ? -1 : hitAt(finding.hits, place)}
          inFocus={asked.value}
          onFind={look}
          onStep={stepFind}
          onClose={closeFind}
        />
      )}
      <div class={pins.length === 0 ? "strip-row" : "strip-row with-pins"}>
        <TokenStrip
          {...{ model, choices, fates, values, numbers, hits: finding?.hits, linked, follow, strip }}
          onPick={pick}
          onGoTo={goTo}
          onToggle={(run) =>
            navigate({ params: { toggled: toggledWith(toggled, run.index) } }, { replace: true })
          }
        />
        <PinnedCards
          {...card}
          pins={pins}
          onPins={setPins}
          stars={source.badge !== undefined ? "none" : info.bundled === true ? "fixed" : "free"}
        />
      </div>
      <HoverCard {...card} linked={linked} spanOf={(at) => strip.current?.spanOf(at)} />
    </article>
  );
}
