/**
 * Styles for texts shown token by token (the heat scale, strips, heat-maps) and for answers, added to the common style
 * sheet. Its hash is part of the page's security policy (`policy.ts`).
 *
 * @module
 */
import { DARK_HEAT, type HeatColors, LIGHT_HEAT } from "../charts/heat-levels.ts";

function variables(colors: HeatColors): string {
  return colors.map(([fill, ink], level) => `--lr-h${level}:${fill};--lr-i${level}:${ink}`).join(";");
}

const LEVELS = LIGHT_HEAT.map(
  (_, level) =>
    `.k${level},table.heat td.k${level}{background:var(--lr-h${level});color:var(--lr-i${level})}`,
).join("\n");

export const TEXT_STYLE = `
:root{${variables(LIGHT_HEAT)};--lr-tool:#e3e5e9;--lr-toolink:#555b64}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]){${variables(DARK_HEAT)};--lr-tool:#33373e;--lr-toolink:#b4bac3}}
:root[data-theme=dark]{${variables(DARK_HEAT)};--lr-tool:#33373e;--lr-toolink:#b4bac3}
${LEVELS}
.tool-output,table.heat td.tool-output{background:var(--lr-tool);color:var(--lr-toolink)}
.unknown,table.heat td.unknown{background:repeating-linear-gradient(135deg,transparent 0 3px,var(--lr-grid) 3px 5px);color:var(--lr-muted)}
.answers{list-style:none;padding:0;margin:16px 0;display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,330px),1fr));gap:12px}
.answers li{margin:0;padding:11px 13px;background:var(--lr-panel);border-radius:8px}
.answers p{margin:0 0 5px;overflow-wrap:anywhere}
.answers .level{font-size:12px;font-weight:600;padding:1px 7px;float:right;margin:0 0 4px 10px}
.answers .q{font-weight:600}
h4{font-size:14px;margin:22px 0 4px}
h3.case{font-size:15.5px;color:var(--lr-ink);margin:30px 0 4px;padding-top:10px;border-top:1px dashed var(--lr-grid)}
caption{text-align:left;white-space:nowrap;color:var(--lr-muted);font-size:12.5px;padding:2px 0 4px}
section>.scroll>table>caption{font-weight:600;font-size:14px;color:var(--lr-ink);padding-top:12px}
.key{list-style:none;display:flex;flex-wrap:wrap;gap:4px 14px;padding:0;margin:8px 0;font-size:12.5px;color:var(--lr-muted)}
.key li{margin:0;display:flex;gap:5px;align-items:baseline}
.key b{font:600 11px/1.5 ui-monospace,monospace;min-width:20px;padding:0 4px;text-align:center;border:1px solid var(--lr-grid);border-radius:2px}
.strip{margin:8px 0 14px;padding:12px 14px;border:1px solid var(--lr-grid);border-radius:8px;font:13.5px/1.75 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere;max-height:560px;overflow-y:auto}
.strip span,.strip a{unicode-bidi:isolate;padding:1px 0;-webkit-box-decoration-break:clone;box-decoration-break:clone}
.strip a{text-decoration:none}
.nl{opacity:.6}
.gap{color:var(--lr-muted);font-style:italic}
.strip .spike,table.heat th.spike,table.heat td.spike,.key .spike{outline:2px solid var(--lr-blue);outline-offset:-1px;border-radius:2px}
.strip .spike,table.heat th.spike{font-weight:700}
.strip .error,table.heat th.error,.key .error{text-decoration:underline double 2px;text-underline-offset:3px;text-decoration-skip-ink:none}
.strip .error::after,.key .error::after{content:"✗";font-size:.75em;vertical-align:super}
section>.scroll>table.heat>caption{font-weight:400;font-size:11px;color:var(--lr-muted);padding:4px 0 0}
table.heat td.k0{background:var(--lr-panel)}
table.heat{border-collapse:separate;border-spacing:1px;font:11px/1.35 ui-monospace,monospace;margin:0 0 10px}
table.heat th,table.heat td{padding:0 2px;text-align:center;vertical-align:middle;border:0;position:static;font-size:11px;min-width:13px}
table.heat thead th{color:var(--lr-ink);font-weight:400;white-space:pre;padding:2px 2px;unicode-bidi:isolate}
table.heat th[scope=row]{text-align:right;padding-right:8px;min-width:118px;max-width:118px;overflow:hidden;text-overflow:ellipsis;font-weight:400;background:none}
table.heat thead td{min-width:118px}
table.heat td{font-size:9.5px;height:15px}
details.one{margin:6px 0;padding:6px 12px;border:1px solid var(--lr-grid);border-radius:8px}
details.one summary{cursor:pointer;overflow-wrap:anywhere}
details.one .two{margin-top:6px;grid-template-columns:minmax(0,1fr) minmax(0,1fr)}
.tok{font-family:ui-monospace,monospace;white-space:pre-wrap;unicode-bidi:isolate}
.around{font:13px/1.6 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere;color:var(--lr-muted);margin:6px 0}
.around b{color:var(--lr-ink);outline:2px solid var(--lr-blue);border-radius:2px}
pre.prompt{max-height:220px;overflow-y:auto}
@media (max-width:760px){details.one .two{grid-template-columns:minmax(0,1fr)}}
@media print{:root:root:root{${variables(LIGHT_HEAT)};--lr-tool:#e3e5e9;--lr-toolink:#555b64}
.strip{max-height:none}table.heat{break-inside:avoid}[class^=k],.tool-output,.unknown{print-color-adjust:exact;-webkit-print-color-adjust:exact}table.heat th,table.heat td{font-size:7.5px;min-width:8px;padding:0 1px}}
`;
