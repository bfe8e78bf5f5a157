import type { GatheredPlaces, PlaceChances, PlaceUnits } from "../report/standouts/index.ts";
import { moveArrays } from "./move-arrays.ts";
import { startThread, workerFile } from "./thread.ts";

/** Units that are tested in 0.13 s, slightly longer than a thread takes to start. */
const SMALL_UNITS = 2 ** 17;

/**
 * Runs `testPlaces` in a thread of its own: these tests take a quarter of the time of a large report. Undefined if no
 * thread can run them, or if there is too little to test to gain from it.
 *
 * @param places whose units are moved away
 * @param options the number of units up to which no thread is started, and the file that the thread runs
 */
export function testApart(
  { toTest }: GatheredPlaces,
  {
    small = SMALL_UNITS,
    url = workerFile("place-tests-worker"),
  }: { readonly small?: number; readonly url?: URL | undefined } = {},
): Promise<PlaceChances> | undefined {
  if (url === undefined || toTest.turns.values.length + toTest.deciles.values.length <= small)
    return undefined;
  const thread = startThread<PlaceUnits, PlaceChances>(url);
  const { value, buffers } = moveArrays(toTest);
  return thread.ask(value, buffers).finally(() => void thread.close());
}
