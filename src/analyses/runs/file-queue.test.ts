import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createFileMeter,
  createQueue,
  failAt,
  isNeeded,
  isQueueStopped,
  stopQueue,
  sumProgress,
  takePlace,
} from "./file-queue.ts";

describe("the queue of a run's files", () => {
  it("gives each place once, in its order, whichever thread asks", () => {
    const queue = createQueue([2, 0, 1], 2);
    const taken = Array.from({ length: 5 }, () => takePlace(queue));
    expect(taken).toEqual([2, 0, 1, undefined, undefined]);
  });

  it("gives nothing after it was stopped, and says that it was", () => {
    const queue = createQueue([0, 1, 2], 2);
    expect([takePlace(queue), isQueueStopped(queue)]).toEqual([0, false]);
    stopQueue(queue);
    expect([takePlace(queue), isQueueStopped(queue)]).toEqual([undefined, true]);
  });

  it("passes over what comes after the first file that failed, in whatever order files fail", () => {
    const places = fc.uniqueArray(fc.nat(20), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(places, fc.array(fc.nat(20), { maxLength: 4 }), (order, failed) => {
        const queue = createQueue(order, 3);
        for (const place of failed) failAt(queue, place);
        const first = Math.min(...failed, Number.POSITIVE_INFINITY);
        const taken: number[] = [];
        for (let place = takePlace(queue); place !== undefined; place = takePlace(queue)) taken.push(place);
        expect(taken).toEqual(order.filter((place) => place < first));
        const all = Array.from({ length: 21 }, (_, place) => place);
        expect(all.filter((place) => isNeeded(queue, place))).toEqual(all.filter((place) => place < first));
        expect(isQueueStopped(queue)).toBe(false);
      }),
    );
  });
});

describe("progress", () => {
  it("is what all threads have read together, at the file that the calling thread is at", () => {
    const queue = createQueue([0, 1, 2], 3);
    let told = 0;
    const here = createFileMeter(queue, 0, 4, () => told++);
    const others = [createFileMeter(queue, 1, 5), createFileMeter(queue, 2, 6)];
    for (const meter of [here, ...others]) meter.begin("file");
    expect(told).toBe(0);
    here.addBytes(100);
    here.addSequences(3);
    expect(told).toBe(2);
    others[0]!.addBytes(20);
    others[1]!.addBytes(7);
    others[1]!.addSequences(5);
    expect(sumProgress(queue)).toEqual({ bytesRead: 127, sequences: 8, place: 4 });
  });

  it("counts a file that has ended as read whole, after the files before it", () => {
    const queue = createQueue([0, 1], 2);
    const first = createFileMeter(queue, 1, 0);
    first.begin("first");
    first.addBytes(10);
    first.end(50);
    expect(sumProgress(queue).bytesRead).toBe(50);
    let told = 0;
    const second = createFileMeter(queue, 1, 1, () => told++);
    second.begin("second");
    second.addBytes(30);
    expect(sumProgress(queue).bytesRead).toBe(80);
    second.end(200);
    expect([sumProgress(queue).bytesRead, told]).toEqual([250, 2]);
  });
});
