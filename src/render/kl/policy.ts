import { SCRIPT_HASH, STYLE_HASH } from "../html/index.ts";

/** Of `KL_STYLE`; a test recomputes it and says what it must be. */
export const KL_STYLE_HASH = "sha256-ckwUyeBo9yByVX8hfHq+7BteJsw/czf2L1E1zupyTiw=";

/** As of every page: no network, no foreign script or style; and this page's own style sheet. */
export const KL_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src '${STYLE_HASH}' '${KL_STYLE_HASH}'`,
  `script-src '${SCRIPT_HASH}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
