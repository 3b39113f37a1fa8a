/** The format and the game of a file of hands, and how the review is called. */
import { useEffect, useState } from "preact/hooks";
import { api } from "../api/client";
import type { GameView } from "../api/types";
import { type Choice, SelectField, TextField } from "../shared/fields";
import { FORMATS, type Form } from "./request";

type Props = { form: Form; put: (changes: Partial<Form>) => void };

export function MoreFields({ form, put }: Props) {
  const [games, setGames] = useState<GameView[]>([]);
  const log = form.format === "acpc";
  useEffect(() => {
    if (log && !games.length)
      api("GET games").then(
        (found) => setGames(found.games),
        () => {},
      );
  }, [log]);
  return (
    <details open={log || undefined}>
      <summary>Format and name</summary>
      <div class="fields">
        <SelectField
          id="review-format"
          label="Format"
          value={form.format}
          options={FORMATS}
          put={(format) => put({ format })}
        />
        {log && (
          <SelectField
            id="review-game"
            label="Game of the log"
            value={form.game}
            options={[["", "heads-up hold’em"], ...games.map((game): Choice => [game.name, game.title])]}
            put={(game) => put({ game })}
          />
        )}
        <TextField
          id="review-title"
          label="Name of the review"
          value={form.title}
          hint="that of the file"
          put={(title) => put({ title })}
        />
      </div>
    </details>
  );
}
