/**
 * Numbers as the page writes them.
 *
 * @module
 */

/** Whether a text such as `0.0213`, `−1.2e−5` or `99.98 %` is this number, rounded to the digits shown. */
export function shows(text: string, value: number): boolean {
  const plain = text.replaceAll("−", "-").replaceAll(",", "").trim();
  const [, mantissa, exponent = "0", percent] =
    /^\+?(-?\d+(?:\.\d+)?)(?:e([+-]?\d+))?\s*(%)?$/.exec(plain) ?? [];
  if (mantissa === undefined) return false;
  const decimals = mantissa.split(".")[1]?.length ?? 0;
  const unit = 10 ** (Number(exponent) - decimals) / (percent === undefined ? 1 : 100);
  const number = Number(`${mantissa}e${exponent}`) / (percent === undefined ? 1 : 100);
  return Math.abs(number - value) <= unit * 0.500001;
}
