/** A round, its question and an answer, for tests. */
import type { AnswerView, DrillView, QuestionView, SolutionView, TotalsView } from "../api/types";

const seat = { cards: ["", ""], stack_chips: 100, bet_chips: 100, dealer: true, acts: false, note: "" };

export const QUESTION: QuestionView = {
  number: 3,
  again: false,
  solution: "turn",
  line: "check bet 100",
  street: "turn",
  board: ["Qs", "Jh", "2s", "8h"],
  board_places: 5,
  hand: ["Ac", "Kd"],
  player: 0,
  player_name: "out of position",
  pot_chips: 200,
  to_call_chips: 100,
  seats: [
    { ...seat, name: "in position" },
    { ...seat, name: "you", cards: ["Ac", "Kd"], acts: true },
  ],
  streets: [
    { street: "turn", said: ["you check", "in position bets 100"] },
    { street: "river", said: [] },
  ],
  actions: [
    { action: "fold", chips: 0, pot_percent: null, all_in: false, colour: "#2464be" },
    { action: "call", chips: 100, pot_percent: null, all_in: false, colour: "#8ae4a0" },
    { action: "raise 300", chips: 200, pot_percent: 66.667, all_in: true, colour: "#540e2c" },
  ],
};

export const ANSWER: AnswerView = {
  number: 3,
  again: false,
  solution: "turn",
  line: "check bet 100",
  street: "turn",
  board: QUESTION.board,
  hand: QUESTION.hand,
  player_name: "out of position",
  action: "call",
  best: "fold",
  grade: "mistake",
  words: "Mistake: call loses 15.8 chips (7.9% of the pot, 1.58 bb) against fold.",
  loss_chips: 15.8,
  loss_pot_percent: 7.9,
  loss_mbb: 1580,
  counted: true,
  pot_chips: 200,
  line_reached: 0.1,
  unconverged_chips: 0,
  actions: [
    { action: "fold", frequency: 0.95, ev_chips: 0, loss_chips: 0 },
    { action: "call", frequency: 0.05, ev_chips: -15.8, loss_chips: 15.8 },
    { action: "raise 300", frequency: 0, ev_chips: -40, loss_chips: 40 },
  ],
};

export const TOTALS: TotalsView = {
  answers: 2,
  right: 2,
  inaccurate: 0,
  mistake: 0,
  streak: 2,
  longest_streak: 2,
  loss_pot_percent: 0,
  loss_mbb: 0,
  by_street: [],
  by_line: [],
};

export const DRILL: DrillView = {
  id: "turn-1",
  title: "Turn",
  created: "",
  modified: 0,
  solution: "turn",
  review: null,
  count: 5,
  over: false,
  totals: TOTALS,
  damaged: "",
  seed: 1,
  repetition: null,
  question: QUESTION,
  error: "",
};

export const SOLUTION: SolutionView = {
  name: "turn",
  title: "A turn",
  game: "spot",
  streets: ["turn", "river"],
  player_names: ["out of position", "in position"],
  kind: "solution",
  board: [],
  pot_chips: null,
  stacks_chips: [],
  big_blind_chips: null,
  start_bytes: 0,
  bytes: 1,
  modified: 0,
  exploitability: null,
  status: "target met",
  shipped: false,
  certified: null,
  error: "",
  command: "errai show turn.errai",
};
