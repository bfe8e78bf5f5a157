import { expect, test } from "vitest";
import { cardPlace } from "./card-place.ts";

const window = { width: 1000, height: 800 };
const card = { width: 300, height: 300 };
const token = (left: number, top: number, width = 40, height = 20) => ({ left, top, width, height });

function covers(at: { left: number; top: number }, box: ReturnType<typeof token>): boolean {
  return (
    at.left < box.left + box.width &&
    at.left + card.width > box.left &&
    at.top < box.top + box.height &&
    at.top + card.height > box.top
  );
}

test("a card never covers its token and stays in the window", () => {
  for (let left = 0; left <= 960; left += 60) {
    for (let top = 0; top <= 780; top += 20) {
      const at = cardPlace(token(left, top), card, window);
      expect(covers(at, token(left, top))).toBe(false);
      expect(at.left).toBeGreaterThanOrEqual(0);
      expect(at.left + card.width).toBeLessThanOrEqual(window.width);
      expect(at.top).toBeGreaterThanOrEqual(0);
      expect(at.top + card.height).toBeLessThanOrEqual(window.height);
    }
  }
});

test("a card goes beside a token that leaves no room above or below", () => {
  const tall = token(100, 0, 200, 800);
  expect(covers(cardPlace(tall, card, window), tall)).toBe(false);
});
