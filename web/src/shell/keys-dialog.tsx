import { activeKeys } from "../state/keys.ts";
import { Dialog } from "../ui/dialog.tsx";
import { keyParts } from "./key-parts.ts";

function Keys({ keys }: { readonly keys: string }) {
  return (
    <span class="keys">
      {keyParts(keys).map((part) => (
        <kbd key={part}>{part}</kbd>
      ))}
    </span>
  );
}

/** Every key that is bound on the current page; keys that do the same are listed together. */
export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  const byMeaning = new Map<string, string[]>();
  for (const [keys, { describe }] of activeKeys.value)
    byMeaning.set(describe, [...(byMeaning.get(describe) ?? []), keys]);
  return (
    <Dialog label="Keys" onClose={onClose} class="dialog-keys">
      <header>
        <h2>Keys</h2>
        <button type="button" class="quiet" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </header>
      <dl>
        {[...byMeaning].map(([describe, all]) => (
          <div key={describe}>
            <dt>
              {all.map((keys) => (
                <Keys key={keys} keys={keys} />
              ))}
            </dt>
            <dd>{describe}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
