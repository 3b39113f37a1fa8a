import { expect, test } from "vitest";
import { paint } from "../shared/colours";
import { NODE } from "../testing/node";
import { fill, inkOn, type Scale, scaleOf, stripes, valueColour } from "./colours";
import { type Mode, summarise } from "./hands";

/** Relative luminance (WCAG 2). */
function luminance(colour: number[]): number {
  const [r, g, b] = colour.map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

test("text on every colour of a scale can be read", () => {
  const scales: [Mode, Scale][] = [
    ["ev", [-50, 0, 100]],
    ["equity", [0, 0.5, 1]],
    ["weight", [0, 0, 1]],
  ];
  for (const [by, scale] of scales) {
    for (let i = 0; i <= 100; i++) {
      const colour = valueColour(scale[0] + ((scale[2] - scale[0]) * i) / 100, scale, by);
      const ink = luminance(Array(3).fill(inkOn(colour) === "#fff" ? 255 : 0));
      const [dark, light] = [luminance(colour), ink].sort((a, b) => a - b);
      expect((light + 0.05) / (dark + 0.05)).toBeGreaterThanOrEqual(4.5);
    }
  }
});

test("a scale spans the values, with 0 as its middle where it is among them", () => {
  const { items } = summarise(NODE, 0);
  const held = items.slice(0, 2);
  expect(scaleOf("ev", held)).toEqual([30, 30, 60]);
  expect(scaleOf("ev", [{ ...held[0], ev: -10 }, held[1]])).toEqual([-10, 0, 30]);
  expect(scaleOf("weight", held)).toEqual([0, 0, 1]);
});

test("a mix is striped from the largest bet to the fold, and leaves out what is hardly played", () => {
  expect(stripes([0.25, 0.001, 0.749], ["red", "green", "blue"])).toBe(
    "linear-gradient(90deg, blue 0.00% calc(74.90% - 1px), var(--paper) calc(74.90% - 1px) 74.90%, red 74.90% 100%)",
  );
  expect(stripes([], [])).toBe("none");
  expect(paint("#540E2C")).toBe("var(--all-in)");
});

test("a cell is filled as high as its weight", () => {
  const { items, full } = summarise(NODE, 0);
  expect(fill(items[0], "strategy", ["red", "blue"], full, [0, 0, 1]).backgroundSize).toBe("100% 75.0%");
  expect(fill(items[2], "strategy", ["red", "blue"], full, [0, 0, 1])).toEqual({});
  expect(fill(items[0], "equity", [], full, [0, 0.5, 1]).color).toMatch(/^#(000|fff)$/);
});
