/** Styles of the pages of one policy, added to those of reports: links between pages, and tokens by −log p. */
export const POLICY_STYLE = `
.views{max-width:1120px;margin:0 auto;padding:10px 20px 0;display:flex;gap:16px;flex-wrap:wrap}
.views a{color:var(--lr-blue)}.views [aria-current]{color:inherit;font-weight:700;text-decoration:none}
.tokens{font:14px/1.9 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere;margin:10px 0 26px}
.tokens span{border-radius:2px}
.tokens .tool,.tokens .prompt{color:var(--lr-muted);font-style:italic}
.tokens span:target{outline:2px solid var(--lr-blue);outline-offset:1px}
.p1{background:color-mix(in srgb,var(--lr-orange) 14%,transparent)}
.p2{background:color-mix(in srgb,var(--lr-orange) 26%,transparent)}
.p3{background:color-mix(in srgb,var(--lr-orange) 40%,transparent)}
.p4{background:color-mix(in srgb,var(--lr-orange) 56%,transparent)}
.p5{background:color-mix(in srgb,var(--lr-orange) 74%,transparent)}
.legend span{padding:2px 6px;margin-right:4px;border-radius:3px;font-size:13px}
`;
