/**
 * Hashes of the page's own style sheet and script, so that nothing else may run or be fetched. A test recomputes them
 * and prints the correct ones.
 *
 * @module
 */
export const STYLE_HASH = "sha256-ic1G2m1JLGiBoNBO44oscP0NprJQadF+h9EH3jJa5qc=";
/** The hash of `TEXT_STYLE`. */
export const TEXT_STYLE_HASH = "sha256-/ILCHjKkIfoVtZf2DEPVhtR4ijOjv1KKTb3uRj59/U0=";
export const SCRIPT_HASH = "sha256-A9CybXdFRTRV+Af1XXYZh6TtiXcxU5TUeioeyXAa4AA=";

/** For the `Content-Security-Policy` meta element: no network, no foreign script or style, no forms, no base. */
export const SECURITY_POLICY = [
  "default-src 'none'",
  `style-src '${STYLE_HASH}' '${TEXT_STYLE_HASH}'`,
  `script-src '${SCRIPT_HASH}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
