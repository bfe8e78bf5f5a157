import {
  type Bound,
  boundsOf,
  boundText,
  hasSetting,
  parseSetting,
  settingParams,
} from "../../state/setting.ts";
import { hrefOf, navigate, route } from "../../state/url.ts";
import { SettingPicker } from "../../ui/setting-picker.tsx";

const NONE = {
  ...{ level: undefined, method: undefined },
  ...{ cap: undefined, low: undefined, high: undefined, veto: undefined },
};

/** The correction whose effects are underlined, in a line; opened, everything of it. */
export function CorrectionPicker() {
  const { params } = route.value;
  const given = hasSetting(params);
  const setting = parseSetting(given ? params : { method: "none" });
  const bounds = boundsOf(setting);
  const isNone = setting.method === "none" && bounds.length === 0;
  return (
    <details
      class="correction-picker"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.currentTarget.open = false;
        event.currentTarget.querySelector("summary")?.focus();
        event.preventDefault();
      }}
    >
      <summary title="what a correction would do to these tokens: underlined in the text">
        correction:{" "}
        <strong>
          {setting.level === "token" || isNone ? "" : `${setting.level} `}
          {setting.method}
        </strong>
        {bounds.map((name) => ` · ${SHORT[name]} ${boundText(setting[name]!)}`)}
      </summary>
      <div class="correction-panel">
        <SettingPicker
          compact
          setting={setting}
          onChange={(next) => navigate({ params: settingParams(next) })}
        />
        <p>
          <a href={hrefOf({ view: "whatif", token: undefined, params: settingParams(setting) })}>
            What it does to the whole run
          </a>
          <button type="button" onClick={() => navigate({ params: NONE })}>
            no correction
          </button>
        </p>
      </div>
    </details>
  );
}

const SHORT: Readonly<Record<Bound, string>> = { cap: "≤", low: "from", high: "to", veto: "veto <" };
