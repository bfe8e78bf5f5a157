import { useMemo } from "preact/hooks";
import { glossary } from "../state/loaded.ts";
import "./explained.css";

/** A heading whose terms are explained when pointed at, tapped or reached with Tab. */
export function Explained({
  text,
  meaning,
}: {
  readonly text: string;
  /** Meaning of the whole text; without one, its terms are looked up. */
  readonly meaning?: string | undefined;
}) {
  const loaded = glossary().value;
  const known = loaded.state === "ready" ? loaded.value : undefined;
  // Every second part is a term.
  const parts = useMemo(
    () => (meaning ? ["", text] : known === undefined ? [text] : text.split(new RegExp(known.pattern, "iu"))),
    [known, meaning, text],
  );
  return (
    <>
      {parts.map((part, at) =>
        at % 2 === 0 ? (
          part
        ) : (
          <button
            key={at}
            type="button"
            class="term"
            aria-description={meaning ?? known!.meanings[part.toLowerCase()]}
          >
            {part}
          </button>
        ),
      )}
    </>
  );
}

const said = document.createElement("p");
said.id = "meaning";
said.role = "tooltip";
said.popover = "auto";
let term: Element | null = null;

/** Shows the description of the element that the event is about. */
function show({ target }: Event): void {
  if (!(target instanceof Element) || said.contains(target)) return;
  term = target.closest("[aria-description]");
  if (term !== null) {
    said.textContent = term.getAttribute("aria-description");
    if (!said.isConnected) document.body.append(said);
  }
  if (said.isConnected) said.togglePopover(term !== null);
  place();
}

/** Places the description below the term, or above it if there is no room. */
function place(): void {
  if (term === null) return;
  const { left, top, bottom } = term.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height, style } = said;
  style.left = `${Math.max(0, Math.min(left, innerWidth - width))}px`;
  style.top = `${bottom + height > innerHeight ? top - height : bottom}px`;
}

for (const event of ["pointerover", "focusin", "click"]) document.addEventListener(event, show);
document.addEventListener("scroll", place, true);
