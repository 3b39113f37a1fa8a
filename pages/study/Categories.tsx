/** The tab with the range by category: what each does and is worth, and a filter of the grid by category and suit. */
import { api } from "../api/client";
import type { NodeView, ReadingView } from "../api/types";
import { useAnswer } from "../shared/answers";
import { suitName, suitSign } from "../shared/Cards";
import { tenths, worth } from "../shared/numbers";
import { type Column, SortedTable } from "../shared/SortedTable";
import { colours, fill } from "./colours";
import { type Category, categoryRows, KINDS, SUITS, wordsOf } from "./filters";
import { type Summary, summarise } from "./hands";
import type { Study } from "./model";
import type { PanelProps } from "./Tabs";
import { hundredths, named } from "./texts";

/** What is asked of a node for its categories and its curves. */
export function useReading(study: Study, view: NodeView) {
  const { name, whole } = study.state;
  return useAnswer<ReadingView>(study.answers, study.readingKey(view), () =>
    api("GET solutions/{name}/reading", { path: { name }, query: { line: view.line, whole } }),
  );
}

export function Categories({ study, view }: PanelProps) {
  const { found, problem } = useReading(study, view);
  const name = view.player_names[study.player];
  return (
    <>
      <h2>What {name} has</h2>
      {view.hands[0]?.length === 4 && <Kinds study={study} />}
      {problem ? (
        <p class="problem" role="alert">
          {problem}
        </p>
      ) : !found ? (
        <p aria-busy="true">Sorting the hands …</p>
      ) : found.why_no_categories ? (
        <p class="soft">{found.why_no_categories}</p>
      ) : (
        <Table study={study} view={view} reading={found} />
      )}
    </>
  );
}

/** Put a word into the filter, or take it out. */
function toggle(study: Study, word: string): void {
  const words = wordsOf(study.state.only);
  const next = words.includes(word) ? words.filter((one) => one !== word) : [...words, word];
  study.set({ only: next.join(",") });
}

/** The suits and kinds of hands, as buttons. */
function Kinds({ study }: { study: Study }) {
  const words = wordsOf(study.state.only);
  return (
    <p class="row">
      <span class="choice" role="group" aria-label="Hands with a card of the suit">
        {SUITS.map((suit) => (
          <button
            key={suit}
            type="button"
            aria-pressed={words.includes(suit)}
            aria-label={suitName(suit)}
            onClick={() => toggle(study, suit)}
          >
            <span class={`card ${suit}`}>{suitSign(suit)}</span>
          </button>
        ))}
      </span>
      <span class="choice" role="group" aria-label="Kinds of hands">
        {KINDS.map((kind) => (
          <button key={kind} type="button" aria-pressed={words.includes(kind)} onClick={() => toggle(study, kind)}>
            {kind}
          </button>
        ))}
      </span>
      {words.length > 0 && (
        <button type="button" class="quiet" onClick={() => study.set({ only: "" })}>
          All hands
        </button>
      )}
    </p>
  );
}

function Table({ study, view: node, reading }: PanelProps & { reading: ReadingView }) {
  const view = study.inUnit(node);
  // All hands are here, whatever the filter leaves in the grid.
  const summary: Summary = summarise(view, study.player);
  const rows = categoryRows(view, summary, reading);
  const words = wordsOf(study.state.only);
  return (
    <>
      <SortedTable
        {...study.ordered("categories")}
        caption="Categories of hands"
        columns={columnsOf(study, view, summary)}
        rows={rows}
        mark={(row) => words.includes(row.name)}
        things="categories"
      />
      <p class="soft">
        Choose categories, suits and kinds to see those hands alone in the grid. A hand can have several draws.
      </p>
    </>
  );
}

function columnsOf(study: Study, view: NodeView, summary: Summary): Column<Category>[] {
  const paints = colours(view, summary);
  const words = wordsOf(study.state.only);
  const mix: Column<Category> = {
    name: "mix",
    label: <span class="mixed">mix</span>,
    view: ({ item }) => <span class="fill" style={fill(item, "strategy", paints, item.weight, [0, 0, 0])} />,
  };
  return [
    {
      name: "category",
      text: true,
      value: (row) => row.name,
      view: ({ name }) => (
        <button
          type="button"
          class="hand"
          data-hand={name}
          aria-pressed={words.includes(name)}
          onClick={() => toggle(study, name)}
        >
          {name}
        </button>
      ),
    },
    { name: "share, %", value: (row) => row.share, view: (row) => tenths(row.share) },
    ...(summary.acts ? [mix] : []),
    ...(summary.acts
      ? view.actions
          .map(
            (action, a): Column<Category> => ({
              name: named(action),
              value: ({ item }) => item.shares[a] ?? null,
              view: ({ item }) => tenths(item.shares[a]),
            }),
          )
          .reverse()
      : []),
    { name: "EQ", value: ({ item }) => item.equity, view: ({ item }) => hundredths(item.equity) },
    { name: "EV", value: ({ item }) => item.ev, view: ({ item }) => worth(item.ev, view.pot_chips) },
  ];
}
