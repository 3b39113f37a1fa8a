/** The flops by texture: a bar for each kind, which also chooses its flops; and the field for words. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { ReportDetail, TableView } from "../api/types";
import { paint } from "../shared/colours";
import { TextField } from "../shared/fields";
import { percent } from "../shared/numbers";
import { stripes } from "../study/colours";
import { has, toggled } from "./address";
import { sharesOf, TEXTURES, type Texture } from "./table";

const WAIT_MS = 300;

type OnlyProps = { only: string; problem: string; put: (only: string) => void };

/** A field for the words that flops must have. */
export function Only({ only, problem, put }: OnlyProps) {
  const [typed, setTyped] = useState(only);
  const timer = useRef(0);
  useEffect(() => setTyped(only), [only]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (text: string) => {
    setTyped(text);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => put(text.trim().replace(/\s+/g, " ")), WAIT_MS);
  };
  return (
    <div class="row only">
      <TextField
        id="only"
        label="Only flops with"
        value={typed}
        put={type}
        hint="such as two-tone A, or 7h"
        problem={problem}
      />
      {only && (
        <button type="button" class="quiet" onClick={() => put("")}>
          Show all flops
        </button>
      )}
    </div>
  );
}

type Props = { table: TableView; detail: ReportDetail; only: string; put: (only: string) => void };

export function Textures({ table, detail, only, put }: Props) {
  return (
    <div class="textures">
      {TEXTURES.map(([texture, title]) => (
        <section key={texture} aria-label={title}>
          <h3 class="heads">
            {title} <small>share of deals</small> <small>{table.actions[0]}</small>
          </h3>
          <Kinds texture={texture} table={table} kinds={detail.kinds[texture] ?? []} only={only} put={put} />
        </section>
      ))}
    </div>
  );
}

type KindsProps = Pick<Props, "table" | "only" | "put"> & { texture: Texture; kinds: string[] };

/** The kinds of a texture in the order of the table, and after them those that no chosen flop has. */
function Kinds({ texture, table, kinds, only, put }: KindsProps) {
  const groups = table.groups[texture] ?? {};
  const ranks = "AKQJT98765432";
  const order = texture === "high" ? [...kinds].sort((a, b) => ranks.indexOf(a) - ranks.indexOf(b)) : null;
  const all = order ?? [...new Set([...Object.keys(groups), ...kinds])];
  const paints = table.colours.map(paint);
  return (
    <ul class="kinds">
      {all.map((kind) => {
        const group = groups[kind];
        const said = group
          ? table.actions
              .map((action, a) => `${action} ${percent(group.frequencies[a])}`)
              .reverse()
              .join(", ")
          : "none of the chosen flops";
        const bar = (
          <>
            <span class="kind">{kind}</span>
            <span class="share">{group ? percent(group.share, 0) : "–"}</span>
            <span
              class="bar"
              aria-hidden="true"
              style={group ? { backgroundImage: stripes(sharesOf(group), paints) } : {}}
            />
            <span class="unseen">{`of all deals: ${said}`}</span>
            <span class="first" aria-hidden="true">
              {group && percent(group.frequencies[0], 0)}
            </span>
          </>
        );
        // Numbers of straights are no words: they would be read as cards.
        return (
          <li key={kind} title={said}>
            {texture === "straights" ? (
              <span class="row">{bar}</span>
            ) : (
              <button
                type="button"
                class="row"
                aria-pressed={has(only, kind)}
                onClick={() => put(toggled(only, kind, kinds))}
              >
                {bar}
              </button>
            )}
          </li>
        );
      })}
    </ul>
  );
}
