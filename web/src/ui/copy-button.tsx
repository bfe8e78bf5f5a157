import { useSignal } from "@preact/signals";

const SAID_FOR = 1500;

/** Copies a text that is made on demand, and confirms it. */
export function CopyButton({
  label,
  disabled = false,
  text,
}: {
  readonly label: string;
  readonly disabled?: boolean;
  readonly text: () => string;
}) {
  const said = useSignal("");
  const copy = async (): Promise<void> => {
    said.value = (await copied(text())) ? "copied" : "copy failed";
    setTimeout(() => {
      said.value = "";
    }, SAID_FOR);
  };
  return (
    <button type="button" class="copy" disabled={disabled} onClick={copy}>
      <span>{label}</span>
      <span class="copied" role="status">
        {said.value}
      </span>
    </button>
  );
}

/** Copies a text; false if the browser refuses. Over plain http, except on localhost, only the old API works. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}
