/** The requests and answers of the API. Made from its OpenAPI document by scripts/pages; do not edit. */

export interface Act {
  token: string;
  incr: string;
}

export interface ActionGrade {
  action: string;
  frequency: number;
  ev_chips: number | null;
  loss_chips: number | null;
}

export interface ActionRequest {
  action: string;
  hand: number;
  ply: number;
}

export interface ActionView {
  label: string;
  colour: string;
  all_in: boolean;
  step: string;
  frequency: number | null;
  ev_chips: number | null;
  pot_percent: number | null;
}

export interface AgentModel {
  name: string;
  title: string;
  what: string;
  seconds: number | null;
}

export interface AgentsModel {
  agents: AgentModel[];
}

export interface AllCharts {
  charts: ChartsView[];
}

export interface AnswerRequest {
  number: number;
  action: string;
}

export interface AnswerView {
  number: number;
  again: boolean;
  solution: string;
  line: string;
  street: string;
  board: string[];
  hand: string[];
  player_name: string;
  action: string;
  best: string;
  grade: Grade;
  words: string;
  loss_chips: number | null;
  loss_pot_percent: number | null;
  loss_mbb: number | null;
  counted: boolean;
  pot_chips: number;
  line_reached: number;
  unconverged_chips: number;
  actions: ActionGrade[];
}

export interface AnsweredView {
  answer: AnswerView;
  drill: DrillSummary;
}

export interface AnswersView {
  answers: AnswerView[];
  total: number;
}

export interface Average {
  hands: number;
  total_chips: number;
  half_width_chips: number | null;
}

export interface BlockersView {
  line: string;
  player: number;
  player_names: string[];
  hands: string[];
  removed: (number | null)[];
  responses: ResponsesView[];
}

export interface Cell {
  row: number;
  column: number;
  weight: number;
}

export interface CertificateView {
  text: string;
  pot_percent: number | null;
  mbb: number | null;
  chips: number | null;
  cut: boolean;
  status: string;
  checked: "file" | "part";
}

export interface ChartsText {
  name: string;
  shipped: boolean;
  situations: Situation[];
  bets: boolean;
  error: string;
  text: string;
}

export interface ChartsView {
  name: string;
  shipped: boolean;
  situations: Situation[];
  bets: boolean;
  error: string;
}

export interface ChoiceModel {
  keys: string[];
  label: string;
  action: string;
  colour: string;
  total_chips: number | null;
  pot_percent: number | null;
}

export interface ChoiceView {
  action: string;
  chips: number;
  pot_percent: number | null;
  all_in: boolean;
  colour: string;
}

export interface ClassMeansView {
  ev_chips: (number | null)[];
  equity: (number | null)[];
  equity_realised: (number | null)[];
  weight: number[];
  shares: ((number | null)[])[] | null;
  action_ev_chips: ((number | null)[])[] | null;
}

export interface ClassSum {
  decisions: number;
  loss_chips: number;
  loss_mbb: number | null;
  class: string;
}

export interface ColumnView {
  line: string;
  street: string;
  pot_chips: number;
  kind: "action" | "card";
  player: number | null;
  player_name: string;
  options: SolutionModelsOptionView[];
  card: string | null;
  locked: boolean;
}

export interface ComingView {
  line: string;
  hand: string[];
  due: string;
}

export interface ComparedActionView {
  label: string;
  colour: string;
  all_in: boolean;
  offered: boolean[];
  frequency: (number | null)[];
  frequency_difference: number | null;
  ev_chips: (number | null)[];
  ev_difference_chips: number | null;
}

export interface ComparedRangesView {
  ev_chips: ((number | null)[])[];
  ev_difference_chips: (number | null)[];
  equity: ((number | null)[])[];
  equity_difference: (number | null)[];
}

export interface ComparisonView {
  player: number | null;
  player_name: string;
  player_names: string[];
  solutions: string[];
  titles: string[];
  lines: string[];
  board: string[];
  pot_chips: number[];
  sunk_chips: number[][];
  actions: ComparedActionView[];
  ranges: ComparedRangesView;
  classes: SolutionModelsClassesView[];
  hands: string[];
  weights: (((number | null)[])[])[];
  ev_chips: (((number | null)[])[])[];
  equity: (((number | null)[])[])[];
  ev_difference_chips: ((number | null)[])[];
  strategies: (((number | null)[])[])[];
  action_ev_chips: (((number | null)[])[])[];
  strategy_difference: ((number | null)[])[];
  action_ev_difference_chips: ((number | null)[])[];
  certificates: CertificateView[];
  commands: string[];
}

export interface CurveView {
  hands: number[];
  mean: number[];
  low: (number | null)[];
  high: (number | null)[];
}

export interface Deal {
  hand: number;
}

export interface DecisionView {
  hand: number;
  player: string;
  cards: string;
  class: string;
  board: string;
  street: string;
  line: string;
  played: string;
  action: string;
  mapped: boolean;
  best: string;
  ev_chips: Record<string, number>;
  probabilities: Record<string, number>;
  loss_chips: number;
  loss_mbb: number | null;
  counted: boolean;
  line_reached: number;
  unconverged_chips: number;
  pot_chips: number;
  solution: string;
  pot_percents: Record<string, number>;
  all_in: string[];
  colours: Record<string, string>;
}

export interface DecisionsView {
  decisions: DecisionView[];
  total: number;
}

export interface DifferenceView {
  name: string;
  certificate: number | null;
  recomputed: number | null;
  text: string;
}

export interface DrillRequest {
  solution?: string | null;
  review?: string | null;
  player?: number | null;
  street?: string | null;
  line?: string | null;
  facing_bet?: boolean;
  boards?: string[];
  count?: number;
  seed?: number | null;
  repeat?: boolean;
  whole?: boolean;
  title?: string | null;
}

export interface DrillSum {
  name: string;
  decisions: number;
  right: number;
  loss_pot_percent: number | null;
}

export interface DrillSummary {
  id: string;
  title: string;
  created: string;
  modified: number;
  solution: string | null;
  review: string | null;
  count: number;
  over: boolean;
  totals: TotalsView | null;
  damaged: string;
}

export interface DrillView {
  id: string;
  title: string;
  created: string;
  modified: number;
  solution: string | null;
  review: string | null;
  count: number;
  over: boolean;
  totals: TotalsView | null;
  damaged: string;
  seed: number;
  repetition: RepetitionView | null;
  question: QuestionView | null;
  error: string;
}

export interface DrillsView {
  drills: DrillSummary[];
  due: DueView[];
}

export interface DueView {
  solution: string;
  title: string;
  due: number;
}

export interface EndingView {
  street: string;
  showdown: boolean;
  hands: number;
  won: number;
}

export interface ErrorAnswer {
  error_msg: string;
}

export interface EstimateRequest {
  subject: GameSubject | SpotSubject;
  settings?: SolveSettings;
}

export interface EstimateView {
  nodes: number | null;
  information_sets: number | null;
  entries: number | null;
  boards: number[];
  precision: string | null;
  memory_bytes: number | null;
  disk_bytes: number | null;
  free_bytes: number | null;
  seconds_per_iteration: number | null;
  seconds_to_target: number | null;
  note: string | null;
  tree: TreeNodeView[];
  fits: boolean;
  advice: string | null;
}

export interface ExploitabilityView {
  chips: number;
  mbb: number | null;
  pot_percent: number;
}

export interface FaultView {
  line: number | null;
  reason: string;
}

export interface FinishedHandsModel {
  hands: FinishedModel[];
  total: number;
}

export interface FinishedModel {
  words: string;
  won_chips: number;
  without_luck_chips: number | null;
  hand: number;
  cards: string[];
  board: string[];
}

export interface FirstDecisionView {
  player: number | null;
  player_name: string;
  player_names: string[];
  iteration: number;
  seconds: number;
  board: string[];
  pot_chips: number;
  stacks_chips: (number | null)[];
  actions: FrequencyView[];
  columns: number;
  labels: string[];
  weights: number[];
  shares: ((number | null)[])[];
}

export interface FlopRow {
  frequencies: (number | null)[];
  ev_chips: (number | null)[];
  equity: (number | null)[];
  equity_realised: (number | null)[];
  share: number;
  flop: string;
  weight: number;
  suits: string;
  pairing: string;
  straights: string;
  high: string;
  exploitability_pot_percent: number;
}

export interface FlopView {
  flop: string;
  solution: string | null;
  request: SolveRequest;
}

export interface FrequencyView {
  label: string;
  colour: string;
  all_in: boolean;
  frequency: number | null;
}

export interface GameSubject {
  game: string;
}

export interface GameView {
  name: string;
  title: string;
  limit: boolean;
  rounds: number;
  ranks: number;
  suits: number;
}

export interface GamesView {
  games: GameView[];
}

export type Grade = "right" | "inaccurate" | "mistake";

export interface GroupView {
  frequencies: (number | null)[];
  ev_chips: (number | null)[];
  equity: (number | null)[];
  equity_realised: (number | null)[];
  share: number;
}

export interface HandAnswer {
  token: string;
  old_action: string;
  action: string;
  client_pos: number;
  hole_cards: string[];
  board: string[];
  bot_hole_cards: string[] | null;
  winnings: number | null;
  won_pot: number | null;
  session_num_hands: number | null;
  session_total: number | null;
}

export interface HandModel {
  hand: number;
  ply: number;
  pot_chips: number;
  board: string[];
  board_places: number;
  seats: SeatModel[];
  streets: StreetModel[];
  result: ResultModel | null;
}

export interface HandView {
  ev_chips: (number | null)[];
  equity: (number | null)[];
  equity_realised: (number | null)[];
  hand: string;
  weights: number[];
  strategy: Record<string, number> | null;
  action_ev_chips: Record<string, number> | null;
}

export interface HandsPoint {
  hands: number;
  hands_wanted: number;
}

export interface HandsView {
  line: string;
  hands: HandView[];
}

export interface HintActionModel {
  label: string;
  probability: number;
  all_in: boolean;
  colour: string;
}

export interface HintModel {
  advisor: string;
  hand: number;
  ply: number;
  actions: HintActionModel[];
  warning: string;
}

export interface IntervalView {
  name: string;
  mean: number | null;
  low: number | null;
  high: number | null;
}

export interface JobError {
  type: string;
  message: string;
}

export type JobView = SolveJob | MatchJob | LbrJob | ReportJob | ReviewJob | UnknownJob;

export interface JobsOptionView {
  name: string;
  kind: "text" | "file" | "count" | "number" | "bytes" | "seconds" | "seed" | "switch" | "own";
  help: string;
  choices: string[];
  default: string | number | null;
}

export interface JobsView {
  jobs: JobView[];
}

export interface LabelView {
  label: string;
  colour: string;
  all_in: boolean;
}

export interface LbrJob {
  finished: string | null;
  error: JobError | null;
  solution: string | null;
  kind: "lbr";
  title: string;
  command: string;
  created: string;
  starts_again: boolean;
  id: string;
  state: "queued" | "running" | "stopping" | "done" | "stopped" | "failed";
  started: string | null;
  points: number;
  waits: string | null;
  progress: MatchPoint | null;
  result: Record<string, unknown> | null;
}

export interface LbrRequest {
  subject: GameSubject | SpotSubject;
  title?: string | null;
  kind: "lbr";
  agent: string;
  settings?: LbrSettings;
}

export interface LbrSettings {
  setting?: string | null;
  hands?: number;
  seed?: number;
}

export interface LibraryRangeView {
  name: string;
  charts: string;
  title: string;
  position: string;
  hands: string;
  own: boolean;
}

export interface LibrarySpotView {
  name: string;
  title: string;
  own: boolean;
  spot: string;
}

export interface LibraryView {
  spots: LibrarySpotView[];
  ranges: LibraryRangeView[];
  menus: MenuView[];
}

export interface LineSum {
  decisions: number;
  loss_chips: number;
  loss_mbb: number | null;
  line: string;
}

export interface LockView {
  line: string;
  locks: string;
}

export interface MatchDetail {
  name: string;
  modified: number;
  game: string;
  players: string[];
  hands: number;
  hands_wanted: number;
  status: string;
  error: string;
  duplicate: boolean;
  common_random_numbers: boolean;
  seed: number;
  command: string;
  unit: string;
  measures: MeasureDetail[];
  endings: EndingView[];
}

export interface MatchJob {
  finished: string | null;
  error: JobError | null;
  solution: string | null;
  kind: "match";
  title: string;
  command: string;
  created: string;
  starts_again: boolean;
  id: string;
  state: "queued" | "running" | "stopping" | "done" | "stopped" | "failed";
  started: string | null;
  points: number;
  waits: string | null;
  progress: MatchPoint | null;
  result: MatchResult | null;
}

export interface MatchPoint {
  hands: number;
  hands_wanted: number;
  seconds: number;
  seconds_left: number;
  unit: string;
  measures: IntervalView[];
}

export interface MatchRequest {
  subject: GameSubject | SpotSubject;
  title?: string | null;
  kind: "match";
  agents: string[];
  settings?: MatchSettings;
}

export interface MatchResult {
  game: string;
  players: string[];
  status: string;
  hands: number;
  hands_wanted: number;
  unit: string;
  measures: IntervalView[];
}

export interface MatchSettings {
  hands?: number;
  duplicate?: boolean;
  common_random_numbers?: boolean;
  aivat?: boolean;
  values?: string | null;
  seed?: number;
}

export interface MatchSummary {
  name: string;
  modified: number;
  game: string;
  players: string[];
  hands: number;
  hands_wanted: number;
  status: string;
  error: string;
  duplicate: boolean;
  common_random_numbers: boolean;
  seed: number;
  command: string;
  unit: string;
  measures: MeasureView[];
}

export interface MatchesView {
  matches: MatchSummary[];
  standings: StandingsView[];
  unreadable: Record<string, string>;
}

export interface MeansView {
  frequencies: (number | null)[];
  ev_chips: (number | null)[];
  equity: (number | null)[];
  equity_realised: (number | null)[];
}

export interface MeasureDetail {
  mean: number | null;
  low: number | null;
  high: number | null;
  name: string;
  method: string;
  curve: CurveView;
  by_seat: SeatView[];
}

export interface MeasureView {
  mean: number | null;
  low: number | null;
  high: number | null;
  name: string;
}

export interface MenuView {
  bet: string;
  raise: string;
  cost_pot_percent: number | null;
}

export interface NamedView {
  name: string;
}

export interface NetCost {
  pot_percent: number;
  least_pot_percent: number;
  most_pot_percent: number;
}

export interface NetPreparing {
  prepared: number;
  to_prepare: number;
}

export interface NewCharts {
  name: string;
  text: string;
}

export interface NewHand {
  token?: string | null;
}

export interface NewRange {
  name: string;
  hands: string;
}

export interface NewSpot {
  name: string;
  spot: string;
}

export interface NewTable {
  game?: string | null;
  stack?: number | null;
  spot?: string | null;
  opponent: string;
  advisor?: string | null;
  seating?: "first" | "second" | "alternate";
  open?: boolean;
  seed?: number | null;
  solution?: string | null;
}

export interface NodeView {
  player: number | null;
  player_name: string;
  player_names: string[];
  solution: string;
  line: string;
  pot_chips: number;
  why_no_ev: string;
  why_no_equity: string;
  command: string;
  title: string;
  columns: ColumnView[];
  street: string;
  board: string[];
  cards: string[];
  kind: "decision" | "chance" | "showdown" | "fold" | "leaf";
  to_call_chips: number;
  stacks_chips: (number | null)[];
  sunk_chips: number[];
  actions: ActionView[];
  deals: string[];
  deal_count: number;
  ranges: RangesView;
  classes: SolutionModelsClassesView;
  hands: string[];
  weights: ((number | null)[])[];
  strategy: ((number | null)[])[] | null;
  ev_chips: ((number | null)[])[];
  equity: ((number | null)[])[];
  equity_realised: ((number | null)[])[];
  action_ev_chips: ((number | null)[])[] | null;
  locked: Record<string, Record<string, number> | string>;
  locked_hands: number[];
  big_blind_chips: number | null;
  reached: number;
  unconverged: number | null;
  reads_more: boolean;
  certificate: CertificateView;
}

export interface NotMeasured {
  error: string;
}

export interface NoteRequest {
  line?: string;
  text: string;
}

export interface NoteView {
  line: string;
  text: string;
}

export interface NotesView {
  notes: NoteView[];
}

export interface NutsView {
  top: number;
  fractions: (number | null)[];
  shares: (number | null)[];
}

export interface OptionsView {
  options: JobsOptionView[];
}

export interface PlayerSum {
  decisions: number;
  loss_chips: number;
  loss_mbb: number | null;
  player: string;
}

export interface PointsView {
  points: Record<string, unknown>[];
  next: number;
}

export interface Problem {
  type: string;
  message: string;
  field: string | null;
  text: string | null;
  value: string | null;
  allowed: string | null;
  line: number | null;
  column: number | null;
}

export interface ProblemAnswer {
  error: Problem;
}

export interface QuestionView {
  number: number;
  again: boolean;
  solution: string;
  line: string;
  street: string;
  board: string[];
  board_places: number;
  hand: string[];
  player: number;
  player_name: string;
  pot_chips: number;
  to_call_chips: number;
  seats: SeatModel[];
  streets: StreetModel[];
  actions: ChoiceView[];
}

export interface RaiseModel {
  verb: string;
  least_chips: number;
  most_chips: number | null;
}

export interface RangeRequest {
  text: string;
  cells?: Cell[];
}

export interface RangeView {
  text: string;
  grid: number[][];
  hands: number;
}

export interface RangesView {
  ev_chips: (number | null)[];
  equity: (number | null)[];
  equity_realised: (number | null)[];
}

export interface Rank {
  place: number;
  player: string;
  score: number;
  low: number;
  high: number;
  above_next: number | null;
}

export interface ReadingView {
  line: string;
  pair_weights: ((number | null)[])[];
  made: string[];
  draws: string[];
  made_of_hands: number[];
  draws_of_hands: number[];
  nuts: NutsView | null;
  why_no_categories: string;
}

export interface RepetitionView {
  file: string;
  kept: number;
  due: number;
  next_day: string | null;
  coming: ComingView[];
}

export interface ReportDetail {
  name: string;
  title: string;
  flops: number;
  flops_wanted: number;
  lines: string[];
  target: string;
  locked: boolean;
  net: string;
  running: boolean;
  modified: number;
  error: string;
  spot: Record<string, unknown>;
  player_names: string[];
  kinds: Record<string, string[]>;
}

export interface ReportEstimate {
  flops: number;
  processes: number;
  entries: number;
  memory_bytes: number;
  free_bytes: number | null;
  seconds: number | null;
  fits: boolean;
}

export interface ReportEstimateRequest {
  subject: GameSubject | SpotSubject;
  settings?: ReportSettings;
}

export interface ReportJob {
  finished: string | null;
  error: JobError | null;
  solution: string | null;
  kind: "report";
  title: string;
  command: string;
  created: string;
  starts_again: boolean;
  id: string;
  state: "queued" | "running" | "stopping" | "done" | "stopped" | "failed";
  started: string | null;
  points: number;
  waits: string | null;
  progress: ReportPoint | null;
  result: ReportResult | null;
}

export interface ReportPoint {
  flops: number;
  flops_wanted: number;
  seconds: number;
  seconds_left: number | null;
}

export interface ReportRequest {
  subject: GameSubject | SpotSubject;
  title?: string | null;
  kind: "report";
  settings?: ReportSettings;
}

export interface ReportResult {
  report: string;
  flops: number;
  flops_wanted: number;
  exploitability_pot_percent: number | null;
}

export interface ReportSettings {
  flops?: number;
  flop_list?: string | null;
  lines?: string[] | null;
  target?: string;
  locks?: string | null;
  processes?: number | null;
}

export interface ReportView {
  name: string;
  title: string;
  flops: number;
  flops_wanted: number;
  lines: string[];
  target: string;
  locked: boolean;
  net: string;
  running: boolean;
  modified: number;
  error: string;
}

export interface ReportsClassesView {
  line: string;
  actions: string[];
  labels: string[];
  weights: ((number | null)[])[];
  ev_chips: ((number | null)[])[];
  equity: ((number | null)[])[];
  frequencies: ((number | null)[])[];
}

export interface ReportsView {
  reports: ReportView[];
}

export interface ResponsesView {
  step: string;
  actions: LabelView[];
  frequencies: (number | null)[];
  with_hand: ((number | null)[])[];
  removed: ((number | null)[])[];
}

export interface ResultModel {
  words: string;
  won_chips: number;
  without_luck_chips: number | null;
}

export interface ReviewJob {
  finished: string | null;
  error: JobError | null;
  solution: string | null;
  kind: "review";
  title: string;
  command: string;
  created: string;
  starts_again: boolean;
  id: string;
  state: "queued" | "running" | "stopping" | "done" | "stopped" | "failed";
  started: string | null;
  points: number;
  waits: string | null;
  progress: SpotsPoint | HandsPoint | null;
  result: ReviewResult | null;
}

export interface ReviewModel {
  hands: number;
  decisions: number;
  loss_chips: number;
  loss_mbb: number | null;
  greatest: Record<string, unknown>[];
  unvalued: Record<string, unknown>[];
  left_out: Record<string, number>;
}

export interface ReviewResult {
  hands: number;
  decisions: number;
  loss_chips: number;
  loss_mbb: number | null;
  not_counted: number;
  unit: "bb" | "chips";
}

export interface ReviewView {
  hands: number;
  decisions: number;
  loss_chips: number;
  loss_mbb: number | null;
  not_counted: number;
  by_player: PlayerSum[];
  by_street: StreetSum[];
  by_line: LineSum[];
  by_class: ClassSum[];
  left_out: Record<string, number>;
  read: number;
  not_read: FaultView[];
  unit: "bb" | "chips";
  job: JobView;
  against: string | null;
  charts: string | null;
}

export interface RunOutView {
  deals: string[];
  probability: number | null;
  frequencies: (number | null)[];
  ev_chips: (number | null)[];
  equity: (number | null)[];
}

export interface RunOutsView {
  player: number | null;
  player_name: string;
  player_names: string[];
  solution: string;
  line: string;
  pot_chips: number;
  why_no_ev: string;
  why_no_equity: string;
  command: string;
  board: string;
  actions: LabelView[];
  rows: RunOutView[];
  mean: RunOutView;
}

export interface ScoreModel {
  chips: Average;
  without_luck: Average | null;
  measure: string;
  to_measure: number;
  big_blind_chips: number | null;
  words: string;
}

export interface SeatModel {
  name: string;
  cards: string[];
  stack_chips: number | null;
  bet_chips: number;
  dealer: boolean;
  acts: boolean;
  note: string;
}

export interface SeatView {
  mean: number | null;
  low: number | null;
  high: number | null;
  hands: number;
}

export interface Situation {
  positions: unknown[];
  raises: number;
  raiser: string;
}

export interface SolutionModelsClassesView {
  columns: number;
  labels: string[];
  possible: number[];
  of_hands: number[];
  players: ClassMeansView[];
}

export interface SolutionModelsOptionView {
  step: string;
  label: string;
  colour: string;
  all_in: boolean;
  frequency: number | null;
  taken: boolean;
}

export interface SolutionModelsSpotView {
  subject: GameSubject | SpotSubject;
  settings: SpotSettings;
}

export interface SolutionView {
  name: string;
  title: string;
  game: string;
  streets: string[];
  player_names: string[];
  kind: "solution" | "run" | "preflop" | "blueprint";
  board: string[];
  pot_chips: number | null;
  stacks_chips: (number | null)[];
  big_blind_chips: number | null;
  bytes: number;
  start_bytes: number;
  modified: number;
  exploitability: ExploitabilityView | null;
  status: string;
  shipped: boolean;
  certified: boolean | null;
  error: string;
  command: string;
}

export interface SolutionsView {
  solutions: SolutionView[];
}

export interface SolveJob {
  finished: string | null;
  error: JobError | null;
  solution: string | null;
  kind: "solve";
  title: string;
  command: string;
  created: string;
  starts_again: boolean;
  id: string;
  state: "queued" | "running" | "stopping" | "done" | "stopped" | "failed";
  started: string | null;
  points: number;
  waits: string | null;
  progress: SolvePoint | NetPreparing | null;
  result: SolveResult | null;
}

export interface SolvePoint {
  iteration: number;
  seconds: number;
  built: number;
  measured_at: number;
  exploitability_chips: number | null;
  exploitability_pot_percent: number | null;
  exploitability_mbb: number | null;
  target_pot_percent: number | null;
  measuring: string | null;
}

export interface SolveRequest {
  subject: GameSubject | SpotSubject;
  title?: string | null;
  kind: "solve";
  settings?: SolveSettings;
}

export interface SolveResult {
  status: string;
  advice: string;
  iterations: number;
  seconds: number;
  exploitability: ExploitabilityView;
  values_chips: number[];
  precision: string;
  information_sets: number;
  memory_bytes: number;
  net: string | null;
  cost: NetCost | NotMeasured | null;
}

export interface SolveSettings {
  target?: string | null;
  max_iterations?: number | null;
  seconds?: number | null;
  algorithm?: string | null;
  menu?: string | null;
  threads?: number | null;
  precision?: "auto" | "float64" | "float32" | "fixed16" | "average8" | null;
  locks?: string | null;
  net?: string | null;
  start_from?: string | null;
}

export interface SpotSettings {
  target: string | null;
  menu: string | null;
  net: string | null;
  locks: string | null;
}

export interface SpotSubject {
  spot: string;
}

export interface SpotsPoint {
  spots: number;
  spots_wanted: number;
  title: string;
}

export interface SpotsSpotView {
  fields: Record<string, unknown>;
}

export interface StandingsView {
  game: string;
  unit: string;
  measure: string;
  players: string[];
  mean: ((number | null)[])[];
  half_width: ((number | null)[])[];
  ranks: Rank[];
  missing: string | null;
  not_met: string[][];
  subject: string | null;
  command: string;
}

export interface StreetModel {
  street: string;
  said: string[];
}

export interface StreetSum {
  decisions: number;
  loss_chips: number;
  loss_mbb: number | null;
  street: string;
}

export interface TableModel {
  id: string;
  title: string;
  opponent: string;
  hands: number;
  won_chips: number;
  in_hand: boolean;
  modified: number;
  damaged: string;
  version: number;
  state: "new" | "turn" | "thinking" | "waiting" | "over" | "failed";
  ahead: number | null;
  thinking_since: number | null;
  decision_seconds: number | null;
  error: string | null;
  game: string | null;
  agent: string;
  player: string;
  seating: "first" | "second" | "alternate";
  open: boolean;
  has_hints: boolean;
  reviewed_by: string | null;
  command: string;
  shown: HandModel | null;
  choices: ChoiceModel[];
  raises: RaiseModel | null;
}

export interface TableSummary {
  id: string;
  title: string;
  opponent: string;
  hands: number;
  won_chips: number;
  in_hand: boolean;
  modified: number;
  damaged: string;
}

export interface TableView {
  line: string;
  player: number | null;
  player_name: string;
  player_names: string[];
  actions: string[];
  colours: string[];
  pot_chips: number;
  net: string;
  mean: MeansView;
  groups: Record<string, Record<string, GroupView>>;
  flops: FlopRow[];
}

export interface TablesModel {
  tables: TableSummary[];
}

export interface TotalsView {
  answers: number;
  right: number;
  inaccurate: number;
  mistake: number;
  streak: number;
  longest_streak: number;
  loss_pot_percent: number | null;
  loss_mbb: number | null;
  by_street: DrillSum[];
  by_line: DrillSum[];
}

export interface TreeNodeView {
  parent: number | null;
  action: string;
  pot_percent: number | null;
  all_in: boolean;
  player_name: string;
  kind: "decision" | "fold" | "showdown" | "chance" | "leaf";
  pot_chips: number;
}

export interface UnknownJob {
  finished: string | null;
  error: JobError | null;
  solution: string | null;
  kind: "unknown";
  title: string;
  command: string;
  created: string;
  starts_again: boolean;
  id: string;
  state: "queued" | "running" | "stopping" | "done" | "stopped" | "failed";
  started: string | null;
  points: number;
  waits: string | null;
  progress: null;
  result: null;
}

export interface VerificationView {
  certified: boolean | null;
  text: string;
  command: string;
  seconds: number | null;
  tolerance_chips: number | null;
  certificate: ExploitabilityView | null;
  recomputed: ExploitabilityView | null;
  differences: DifferenceView[];
}

/** By method and path below /api/v1: what a route takes, and what it answers. */
export interface Routes {
  "GET drills": { answer: DrillsView };
  "POST drills": { body: DrillRequest; answer: DrillView };
  "GET drills/{drill}": { path: { drill: string }; answer: DrillView };
  "DELETE drills/{drill}": { path: { drill: string }; answer: null };
  "POST drills/{drill}/answers": { path: { drill: string }; body: AnswerRequest; answer: AnsweredView };
  "GET drills/{drill}/answers": { path: { drill: string }; query: { skip?: number; count?: number }; answer: AnswersView };
  "GET options": { answer: OptionsView };
  "POST estimate": { body: EstimateRequest; answer: EstimateView };
  "GET jobs": { answer: JobsView };
  "POST jobs": { body: SolveRequest | MatchRequest | LbrRequest | ReportRequest; answer: JobView };
  "GET jobs/{name}": { path: { name: string }; answer: JobView };
  "DELETE jobs/{name}": { path: { name: string }; answer: null };
  "GET jobs/{name}/solve": { path: { name: string }; answer: SolveRequest };
  "GET jobs/{name}/first": { path: { name: string }; answer: FirstDecisionView | null };
  "POST jobs/{name}/stop": { path: { name: string }; answer: JobView };
  "POST jobs/{name}/resume": { path: { name: string }; answer: JobView };
  "GET jobs/{name}/progress": { path: { name: string }; query: { after?: number }; answer: PointsView };
  "GET matches": { query: { measure?: "chips" | "aivat" | "importance" }; answer: MatchesView };
  "GET matches/{name}": { path: { name: string }; answer: MatchDetail };
  "DELETE matches/{name}": { path: { name: string }; answer: null };
  "GET reports": { answer: ReportsView };
  "GET reports/{name}": { path: { name: string }; answer: ReportDetail };
  "DELETE reports/{name}": { path: { name: string }; answer: null };
  "GET reports/{name}/table": { path: { name: string }; query: { line?: string | null; only?: string }; answer: TableView };
  "GET reports/{name}/classes": { path: { name: string }; query: { line?: string | null; only?: string }; answer: ReportsClassesView };
  "GET reports/{name}/flops/{flop}": { path: { name: string; flop: string }; answer: FlopView };
  "POST reviews": { query: { against?: string | null; charts?: string | null; player?: string | null; target?: string; seconds?: number; memory?: number | null; format?: "phh" | "pokerstars" | "ggpoker" | "acpc" | null; game?: string | null; title?: string | null }; body: Blob; answer: JobView };
  "GET reviews/{name}": { path: { name: string }; answer: ReviewView };
  "GET reviews/{name}/decisions": { path: { name: string }; query: { player?: string | null; street?: string | null; line?: string | null; class?: string | null; counted?: boolean | null; skip?: number; count?: number }; answer: DecisionsView };
  "GET charts": { answer: AllCharts };
  "POST charts": { body: NewCharts; answer: ChartsView };
  "GET charts/{name}": { path: { name: string }; answer: ChartsText };
  "DELETE charts/{name}": { path: { name: string }; answer: null };
  "GET solutions": { answer: SolutionsView };
  "POST solutions": { query: { name: string }; body: Blob; answer: SolutionView };
  "GET solutions/{name}": { path: { name: string }; answer: SolutionView };
  "DELETE solutions/{name}": { path: { name: string }; answer: null };
  "GET solutions/{name}/node": { path: { name: string }; query: { line?: string; player?: number | null; whole?: boolean }; answer: NodeView };
  "GET solutions/{name}/hand": { path: { name: string }; query: { hand: string; line?: string; whole?: boolean }; answer: HandsView };
  "GET solutions/{name}/reading": { path: { name: string }; query: { line?: string; whole?: boolean }; answer: ReadingView };
  "GET solutions/{name}/blockers": { path: { name: string }; query: { hand: string; line?: string; player?: number | null; whole?: boolean }; answer: BlockersView };
  "GET solutions/{name}/notes": { path: { name: string }; answer: NotesView };
  "PUT solutions/{name}/notes": { path: { name: string }; body: NoteRequest; answer: NotesView };
  "DELETE solutions/{name}/notes": { path: { name: string }; query: { line?: string }; answer: NotesView };
  "GET solutions/{name}/runouts": { path: { name: string }; query: { line?: string; whole?: boolean }; answer: RunOutsView };
  "GET solutions/{name}/compare": { path: { name: string }; query: { with: string; line?: string; with_line?: string | null; whole?: boolean }; answer: ComparisonView };
  "POST solutions/{name}/verify": { path: { name: string }; answer: VerificationView };
  "GET solutions/{name}/spot": { path: { name: string }; answer: SolutionModelsSpotView };
  "GET solutions/{name}/lock": { path: { name: string }; query: { line?: string; decimals?: number }; answer: LockView };
  "POST spots/read": { body: SpotSubject; answer: SpotsSpotView };
  "POST ranges": { body: RangeRequest; answer: RangeView };
  "GET library": { answer: LibraryView };
  "POST library/spots": { body: NewSpot; answer: NamedView };
  "POST library/ranges": { body: NewRange; answer: NamedView };
  "DELETE library/{kind}/{name}": { path: { kind: "spots" | "ranges"; name: string }; answer: null };
  "GET games": { answer: GamesView };
  "GET agents": { query: { game?: string | null; solution?: string | null; stack?: number | null }; answer: AgentsModel };
  "GET tables": { answer: TablesModel };
  "POST tables": { body: NewTable; answer: TableModel };
  "GET tables/{table}": { path: { table: string }; answer: TableModel };
  "DELETE tables/{table}": { path: { table: string }; answer: null };
  "POST tables/{table}/deal": { path: { table: string }; body: Deal; answer: TableModel };
  "POST tables/{table}/actions": { path: { table: string }; body: ActionRequest; answer: TableModel };
  "POST tables/{table}/again": { path: { table: string }; answer: TableModel };
  "GET tables/{table}/hint": { path: { table: string }; answer: HintModel };
  "GET tables/{table}/score": { path: { table: string }; answer: ScoreModel };
  "GET tables/{table}/hands": { path: { table: string }; query: { skip?: number; count?: number }; answer: FinishedHandsModel };
  "GET tables/{table}/hands/{hand}": { path: { table: string; hand: number }; answer: HandModel };
  "GET tables/{table}/review": { path: { table: string }; query: { hand?: number | null; against?: string | null }; answer: ReviewModel };
  "POST estimate/report": { body: ReportEstimateRequest; answer: ReportEstimate };
}
