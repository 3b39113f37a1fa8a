import { beforeEach, expect, test } from "vitest";
import { commandOf, emptyDraft, keepDraft, keptDraft, placeOf, requestOf, retitle, TARGET } from "./draft";
import { netsOf } from "./nets";
import { type Form, toForm } from "./spot";

const FORM = toForm({
  board: "QsJh2c",
  pot: 10,
  stack: 20,
  ranges: { oop: "AA", ip: "KK" },
  bets: { flop: { bet: "50%", raise: "a" } },
}) as Form;
const spot = () => ({ ...emptyDraft(), form: structuredClone(FORM) });

beforeEach(() => localStorage.clear());

test("settings that are empty are not asked for, and numbers are numbers", () => {
  const draft = spot();
  Object.assign(draft.settings, { seconds: "1,000", max_iterations: "x", menu: "50%" });
  const { subject, settings } = requestOf(draft, ["seconds", "max_iterations"]);
  expect(settings).toEqual({ target: TARGET, seconds: 1000, max_iterations: "x" });
  expect(subject).toHaveProperty("spot");
  const game = { ...draft, mode: "game" as const, locks: '["check"]' };
  expect(requestOf(game, [])).toMatchObject({
    subject: { game: "leduc" },
    settings: { menu: "50%", locks: '["check"]' },
  });
});

test("the command does the same, with files for the spot and the locks", () => {
  expect(commandOf({ subject: { game: "leduc" }, settings: { target: "1mbb", max_iterations: 7 } })).toBe(
    "errai solve leduc --target 1mbb --max-iterations 7 -o solution.errai",
  );
  expect(
    commandOf({ subject: { spot: "pot = 1\n" }, settings: { menu: "it's", locks: "x = 1", start_from: "a" } }),
  ).toBe(
    "cat > spot.toml <<'END'\npot = 1\nEND\ncat > locks.toml <<'END'\nx = 1\nEND\n" +
      "errai solve spot.toml --menu 'it'\\''s' --lock locks.toml -o solution.errai",
  );
});

test("a place is the cards of the board, however they are written", () => {
  expect(placeOf(spot())).toBe("Qs Jh 2c");
  expect(placeOf({ ...spot(), mode: "text", text: "pot = 1\nboard = 'qs jh 2C'" })).toBe("Qs Jh 2c");
  expect(placeOf({ ...spot(), mode: "text", text: "pot = 1" })).toBe("before the flop");
  expect(placeOf({ ...spot(), mode: "game" })).toBe("leduc");
});

test("a title that came with a spot speaks of its board, not of another", () => {
  const draft = spot();
  const form = draft.form as Form;
  draft.given = form.title = "River, any two cards";
  retitle(draft);
  expect(form.title).toBe("");
  Object.assign(draft, { given: "", lasting: "BTN against BB" });
  retitle(draft);
  expect(form.title).toBe("BTN against BB, Qs Jh 2c");
  form.board = "AsKs2c8d";
  retitle(draft);
  expect(form.title).toBe("BTN against BB, As Ks 2c 8d");
  // What was typed is left.
  form.title = "Mine";
  retitle(draft);
  expect(form.title).toBe("Mine");
});

test("a draft is kept, and one of another version is left", () => {
  expect(keptDraft()).toBeNull();
  const draft = { ...spot(), locks: "x" };
  keepDraft(JSON.stringify(draft));
  expect(keptDraft()).toEqual(draft);
  localStorage.setItem("errai-solve", JSON.stringify({ form: FORM, settings: { seconds: "3" } }));
  expect(keptDraft()).toMatchObject({ mode: "form", settings: { seconds: "3", target: TARGET } });
  for (const kept of ["{", "{}", '{"settings": {}}']) {
    localStorage.setItem("errai-solve", kept);
    expect(keptDraft(), kept).toBeNull();
  }
});

test("networks are offered for the street that is solved, and for games without a limit", () => {
  const names = (changes: object) => netsOf({ ...spot(), ...changes }, GAMES).map(([name]) => name);
  const game = (name: string, limit: boolean, rounds: number) => ({
    name,
    title: name,
    limit,
    rounds,
    ranks: 3,
    suits: 2,
  });
  const GAMES = [game("leduc", true, 2), game("leduc.nolimit", false, 2), game("holdem.nolimit.2p", false, 4)];
  expect(names({})).toEqual(["turn", "check-down", "zero"]);
  expect(names({ form: { ...FORM, board: "Qs Jh 2c 8d 3s" } })).toEqual([]);
  expect(names({ form: { ...FORM, board: "" } })).toEqual(["flop", "check-down", "zero"]);
  expect(names({ mode: "game", game: "leduc" })).toEqual([]);
  expect(names({ mode: "game", game: "leduc.nolimit" })).toEqual(["leduc", "check-down", "zero"]);
  // What is chosen already stays, so that it can be seen and taken away.
  expect(names({ mode: "game", game: "leduc", settings: { net: "turn" } })).toEqual(["turn"]);
});
