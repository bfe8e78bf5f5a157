import { useRef } from "preact/hooks";
import type { AnswerPage } from "../../../../src/results/answer-page.ts";
import { client } from "../../api/client.ts";
import { answerTables, type Loaded } from "../../state/loaded.ts";
import { useStepTables } from "../../state/step-tables.ts";
import { ComparisonBanner } from "../../ui/comparison-warnings.tsx";
import { WhenLoaded } from "../../ui/when-loaded.tsx";
import type { ViewProps } from "../../view-props.ts";
import { Beside, Command, LastAlert, Untested } from "./advice.tsx";
import { CauseCard, Fix } from "./cause-card.tsx";
import { ChartCard } from "./chart-card.tsx";
import { MeanwhileCard } from "./meanwhile-card.tsx";
import { MistakeCard } from "./mistake-card.tsx";
import { Sentence } from "./sentence.tsx";
import { Shifts } from "./shifts.tsx";
import "./style.css";
import { Figures, Where } from "./where.tsx";

/** The answer about a run, or about chosen steps: what is wrong, since when, why, where, and what to do. */
export function AnswerView({ info }: ViewProps) {
  const { busy, tables } = useStepTables(info, answerTables, client.answerTables);
  // The previous content stays until the first answer about chosen steps arrives.
  const last = useRef<Loaded<AnswerPage>>(tables);
  if (tables.state !== "loading") last.current = tables;
  const shown = tables.state === "loading" ? last.current : tables;
  return (
    <div class="answer" aria-busy={busy}>
      <h1 class="visually-hidden">Answer</h1>
      <ComparisonBanner compared={info.compared} />
      <WhenLoaded of={{ value: shown }}>
        {(page) => (
          <>
            <Sentence info={info} page={page} />
            <LastAlert />
            {page.is_comparable && <Beside page={page} />}
            {/* Always at this place, because dragging over it may change the kind of everything else. */}
            {page.is_comparable && <ChartCard info={info} />}
            {!page.is_comparable ? (
              <NotComparable page={page} />
            ) : page.is_sound ? (
              <Sound page={page} />
            ) : (
              <Cards info={info} page={page} />
            )}
          </>
        )}
      </WhenLoaded>
    </div>
  );
}

interface CardsProps extends ViewProps {
  readonly page: AnswerPage;
}

function Cards({ info, page }: CardsProps) {
  const { level, causes, mistakes } = page;
  const isJudged = level !== "too_few";
  return (
    <>
      {causes.length > 0 ? <CauseCard page={page} /> : <Untested page={page} />}
      {isJudged && mistakes.length > 0 && <MistakeCard mistakes={mistakes} />}
      {isJudged && info.tokens > 0 && <MeanwhileCard info={info} trainer={page.trainer} />}
      {isJudged && <Where of={page.where} />}
      <Figures of={page.figures} />
    </>
  );
}

/** For a sound run: what was not tested, and how to be alerted. */
function Sound({ page }: Pick<CardsProps, "page">) {
  return (
    <>
      <Untested page={page} />
      {page.command !== null && <Command of={page.command} />}
    </>
  );
}

/** For a run without meaningful figures: how far the columns are shifted, and the fix. */
function NotComparable({ page }: Pick<CardsProps, "page">) {
  return (
    <>
      {page.shifts.length > 0 && <Shifts of={page.shifts} />}
      {page.fix !== null && (
        <section class="card" aria-label="Fix">
          <h2>Fix {page.fix.place}</h2>
          <Fix of={page.fix} />
        </section>
      )}
      {page.command !== null && <Command of={page.command} />}
    </>
  );
}
