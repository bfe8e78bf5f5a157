/** The page's only style sheet; its hash is part of the page's security policy (`policy.ts`). */
export const STYLE = `
:root{color-scheme:light;--lr-paper:#fff;--lr-ink:#1c1e21;--lr-muted:#5c626b;--lr-grid:#dfe2e6;--lr-panel:#f5f6f8;
--lr-blue:#2062ad;--lr-orange:#b44d00;--lr-grey:#777d87;--lr-teal:#00786b;--lr-purple:#7a3fa3;--lr-gold:#8a6a00;--lr-pink:#b0306e;--lr-faint:#c3c8cf;--none:#5c626b;--too-few:#6b46a0;--normal:#1f66ad;--elevated:#9a5b00;--high:#b23a00;--broken:#8f0d3f}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]){color-scheme:dark;--lr-paper:#15171a;--lr-ink:#e6e8eb;--lr-muted:#a0a7b1;
--lr-grid:#32363c;--lr-panel:#1e2125;--lr-blue:#7db0ee;--lr-orange:#f0975a;--lr-grey:#8d949f;--lr-teal:#4fbcab;--lr-purple:#c394ea;--lr-gold:#d8b640;--lr-pink:#f28bbb;--lr-faint:#4a505a;--none:#4c535c;--too-few:#5d3d8c;--normal:#1d5a98;--elevated:#875000;--high:#a13500;--broken:#8f0d3f}}
:root[data-theme=dark]{color-scheme:dark;--lr-paper:#15171a;--lr-ink:#e6e8eb;--lr-muted:#a0a7b1;
--lr-grid:#32363c;--lr-panel:#1e2125;--lr-blue:#7db0ee;--lr-orange:#f0975a;--lr-grey:#8d949f;--lr-teal:#4fbcab;--lr-purple:#c394ea;--lr-gold:#d8b640;--lr-pink:#f28bbb;--lr-faint:#4a505a;--none:#4c535c;--too-few:#5d3d8c;--normal:#1d5a98;--elevated:#875000;--high:#a13500;--broken:#8f0d3f}
*{box-sizing:border-box}
body{margin:0;background:var(--lr-paper);color:var(--lr-ink);font:15px/1.45 system-ui,sans-serif}
main,header,footer{max-width:1120px;margin:0 auto;padding:0 20px}
header{padding-top:20px}
h1{font-size:22px;margin:0;overflow-wrap:anywhere}
h2{font-size:17px;margin:36px 0 6px;padding-top:8px;border-top:1px solid var(--lr-grid)}
h2 a{color:inherit;text-decoration:none}
h2 a:hover::after{content:" #";color:var(--lr-muted)}
h3{font-size:14px;margin:0 0 6px;color:var(--lr-muted);font-weight:600}
p{margin:6px 0}
.muted,.note{color:var(--lr-muted)}
.note{font-size:13px;max-width:80ch}
.verdict{display:flex;gap:14px;align-items:baseline;flex-wrap:wrap;margin:14px 0 20px;padding:12px 14px;background:var(--lr-panel);border-radius:8px}
.verdict p{margin:0;flex:1 1 30ch;font-size:17px;overflow-wrap:anywhere}
.level{color:#fff;background:var(--none);border-radius:5px;padding:2px 9px;font-weight:700;white-space:nowrap}
.too_few{background:var(--too-few)}.normal{background:var(--normal)}.elevated{background:var(--elevated)}.high{background:var(--high)}.fault{background:var(--high)}.broken,.not_comparable{background:var(--broken)}
td .level{font-size:12px;font-weight:600;padding:1px 6px}
.two{display:grid;grid-template-columns:minmax(0,1.6fr) minmax(0,1fr);gap:10px 36px}
.charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,400px),1fr));gap:22px 36px;margin:18px 0}
.charts.small{grid-template-columns:repeat(auto-fill,minmax(min(100%,310px),1fr));gap:20px 28px}
figure{margin:0}
figure svg{display:block;width:100%;height:auto;max-width:600px}
section figure svg{width:auto;max-width:100%}
ul{margin:4px 0;padding-left:18px}li{margin:5px 0;overflow-wrap:anywhere}
.scroll{overflow-x:auto;margin:8px 0}
.long{max-height:460px;overflow-y:auto}
table{border-collapse:collapse;font-size:13.5px;font-variant-numeric:tabular-nums}
th,td{padding:3px 0 3px 18px;text-align:right;white-space:nowrap;vertical-align:baseline}
th:first-child,td:first-child{padding-left:0}
th{color:var(--lr-muted);font-weight:600;border-bottom:1px solid var(--lr-grid);position:sticky;top:0;background:var(--lr-paper)}
tr:hover td{background:var(--lr-panel)}
.l{text-align:left}
.t{min-width:24ch;max-width:46ch;word-break:break-all;white-space:normal}
.p{text-align:left;white-space:normal;min-width:22ch;max-width:60ch}
.w{color:var(--lr-orange);font-weight:700;text-decoration:underline}
td svg{margin-left:8px;vertical-align:baseline}
th button{all:unset;cursor:pointer}
th button:focus-visible,button:focus-visible,a:focus-visible{outline:2px solid var(--lr-blue);outline-offset:2px}
th[aria-sort=ascending] button::after{content:" ▴"}th[aria-sort=descending] button::after{content:" ▾"}
.next{display:flex;gap:10px;align-items:flex-start;margin:8px 0}
pre{margin:0;padding:9px 12px;background:var(--lr-panel);border-radius:6px;white-space:pre-wrap;overflow-wrap:anywhere;font:13px/1.4 ui-monospace,monospace;flex:0 1 auto;min-width:0}
button.tool{font:13px system-ui,sans-serif;color:var(--lr-ink);background:var(--lr-panel);border:1px solid var(--lr-grid);border-radius:6px;padding:6px 10px;cursor:pointer;white-space:nowrap}
.top{display:flex;justify-content:space-between;gap:16px;align-items:flex-start}
.warn{border-left:4px solid var(--lr-orange);padding-left:10px}ul.warn{padding-left:26px}
th.b{padding-right:64px}
nav{font-size:13px;margin:22px 0 0;line-height:1.9}nav a{color:var(--lr-blue);margin-right:14px;white-space:nowrap}
a{color:var(--lr-blue)}
dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:3px 14px;margin:6px 0;font-size:14px}dt{color:var(--lr-muted)}dd{margin:0;overflow-wrap:anywhere}
footer{margin:40px auto 30px;color:var(--lr-muted);font-size:13px}
[hidden]{display:none}
@media (max-width:760px){.two{grid-template-columns:minmax(0,1fr)}main,header,footer{padding:0 12px}header{padding-top:12px}
.two td.muted{white-space:normal}th,td{padding-left:11px}table{font-size:12.5px}.p{min-width:17ch}}
@media print{:root:root:root{color-scheme:light;--lr-paper:#fff;--lr-ink:#000;--lr-muted:#444;--lr-grid:#ccc;--lr-panel:#f5f6f8;--lr-blue:#2062ad;--lr-orange:#b44d00;--lr-grey:#777d87;--lr-teal:#00786b;--lr-purple:#7a3fa3;--lr-gold:#8a6a00;--lr-pink:#b0306e;--lr-faint:#c3c8cf}
body{font-size:11px}.charts{grid-template-columns:repeat(2,minmax(0,1fr));gap:12px 28px}.charts.small{grid-template-columns:repeat(3,minmax(0,1fr));gap:10px 18px}section .charts{grid-template-columns:minmax(0,1fr)}.two{grid-template-columns:minmax(0,1.5fr) minmax(0,1fr)}.verdict p{font-size:13px}table{font-size:9.5px}.long{max-height:none;overflow:visible}.scroll{overflow:visible}nav,button.tool{display:none}th{position:static}
th,td{padding-left:9px}figure,tr,.verdict{break-inside:avoid}h2{break-after:avoid}.level{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
`;
