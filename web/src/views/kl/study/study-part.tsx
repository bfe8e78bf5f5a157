import type { PageLine, PagePart, StudyPage } from "../../../../../src/results/index.ts";
import { ReportPictures, ReportTables } from "../../../ui/report-table.tsx";
import { PlaceLink, Sentence } from "./place-link.tsx";

/** The report of `logratio kl`: answers, pictures and tables. */
export function StudyPart({ page }: { readonly page: StudyPage }) {
  return (
    <>
      <Answers answers={page.answers} />
      {page.sections.map((section) => (
        <section key={section.title}>
          <h2>{section.title}</h2>
          <Content of={section} />
        </section>
      ))}
      <Cases cases={page.cases} />
      <section class="more">
        <h2>All figures</h2>
        {page.more.map((section) => (
          <details key={section.title}>
            <summary>{section.title}</summary>
            <Content of={section} />
          </details>
        ))}
      </section>
    </>
  );
}

function Answers({ answers }: Pick<StudyPage, "answers">) {
  if (answers.length === 0) return null;
  return (
    <section class="study-answers">
      <h2>Answers</h2>
      <ul>
        {answers.map(({ question, answer, word, level }) => (
          <li key={question}>
            <h3>
              {question} <span class={`level ${level}`}>{word}</span>
            </h3>
            <p>
              <Sentence text={answer} />
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Content({ of: { pictures = [], lines = [], tables = [], notes = [] } }: { readonly of: PagePart }) {
  return (
    <>
      {pictures.length > 0 && (
        <div class="pictures">
          <ReportPictures of={pictures} />
        </div>
      )}
      {lines.length > 0 && <Definitions lines={lines} />}
      {tables.length > 0 && (
        <div class="tables">
          <ReportTables of={tables} />
        </div>
      )}
      {notes.map((note) => (
        <p class="note" key={note}>
          <Sentence text={note} />
        </p>
      ))}
    </>
  );
}

function Definitions({ lines }: { readonly lines: readonly PageLine[] }) {
  return (
    <dl class="definitions">
      {lines.map(([label, text]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            <Sentence text={text} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The texts that the report looks at closely, and why. */
function Cases({ cases }: Pick<StudyPage, "cases">) {
  if (cases.length === 0) return null;
  return (
    <section>
      <h2>Texts to look at</h2>
      <ul class="cases">
        {cases.map(([handle, reason, text]) => (
          <li key={handle}>
            <PlaceLink handle={handle} /> {reason} <bdi class="muted">{text}</bdi>
          </li>
        ))}
      </ul>
    </section>
  );
}
