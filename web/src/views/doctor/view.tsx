import type { DoctorPage, DoctorPageCause } from "../../../../src/results/index.ts";
import { doctorTables } from "../../state/loaded.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { HandleLink, LinkedText } from "../../ui/place-link.tsx";
import { ReportPictures, ReportTables } from "../../ui/report-table.tsx";
import { WhenLoaded } from "../../ui/when-loaded.tsx";
import "./style.css";

/** What causes the mismatch, with evidence, fixes and the next experiment: `logratio doctor` as a page. */
export function DoctorView() {
  return (
    <div class="doctor">
      <h1 class="visually-hidden">Doctor</h1>
      <WhenLoaded of={doctorTables()}>{(page) => <Diagnosis page={page} />}</WhenLoaded>
    </div>
  );
}

function Diagnosis({
  page: { level, word, sentence, causes, next, sections },
}: {
  readonly page: DoctorPage;
}) {
  return (
    <>
      <p class="says">
        <span class={`level ${level}`}>{word}</span> <LinkedText text={sentence} />
      </p>
      {causes.map((cause) => (
        <Cause key={cause.title} cause={cause} />
      ))}
      {next !== null && (
        <section aria-label="Next experiment">
          <h2>Next: {next.title}</h2>
          {next.steps.map(({ text, isCommand }) =>
            isCommand ? <Lines key={text} text={text} /> : <p key={text}>{text}</p>,
          )}
          <ReportTables of={[next.table]} />
        </section>
      )}
      {sections.map(({ title, lines = [], tables = [] }) => (
        <section key={title} aria-label={title}>
          {lines.map(([label, text]) => (
            <p key={label}>{text}</p>
          ))}
          <ReportTables of={tables} />
        </section>
      ))}
    </>
  );
}

function Cause({ cause }: { readonly cause: DoctorPageCause }) {
  const { chance, level, title, description, evidence, pictures, handles, fixes } = cause;
  return (
    <section aria-label={title}>
      <h2>
        <span class={`level ${level}`}>{chance}</span> {title}
      </h2>
      <p class="muted">{description}</p>
      {evidence.map((part) => (
        <div key={part.title}>
          <h3>{part.title}</h3>
          <ul>
            {part.items.map((item) => (
              <li key={item}>
                <LinkedText text={item} />
              </li>
            ))}
          </ul>
        </div>
      ))}
      <div class="pictures">
        <ReportPictures of={pictures} />
      </div>
      {handles.length > 0 && (
        <p class="look">
          Look at{" "}
          {handles.map((handle) => (
            <HandleLink key={handle} handle={handle} />
          ))}
        </p>
      )}
      {fixes.map(({ place, line, note }) => (
        <div key={place + line}>
          <h3>Fix {place}</h3>
          <Lines text={line} />
          {note !== "" && <p class="muted">{note}</p>}
        </div>
      ))}
    </section>
  );
}

/** Lines to paste. */
function Lines({ text }: { readonly text: string }) {
  return (
    <div class="lines">
      <pre>{text}</pre>
      <CopyButton label="Copy" text={() => text} />
    </div>
  );
}
