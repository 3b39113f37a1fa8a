/** The notes on a solution, which are its bookmarks too: they lie beside its file, where `errai note` finds them. */
import { api, messageOf } from "../api/client";
import type { NoteView } from "../api/types";
import { Model } from "../shared/model";

/** The text of a bookmark to which nothing has been written. */
export const BOOKMARK = "Bookmark";

export class Notes extends Model {
  all: NoteView[] = [];
  /** Why they cannot be read. */
  problem = "";
  /** Of which solution they are. */
  #name = "";

  /** Read the notes on a solution. */
  async read(name: string): Promise<void> {
    Object.assign(this, { all: [], problem: "" });
    this.#name = name;
    try {
      this.#take(name, (await api("GET solutions/{name}/notes", { path: { name } })).notes);
    } catch (error) {
      if (name !== this.#name) return;
      this.problem = messageOf(error);
      this.changed();
    }
  }

  /** The note at a line; empty if there is none. */
  at(line: string): string {
    return this.all.find((note) => note.line === line)?.text ?? "";
  }

  /** Write the note at a line, or remove it if the text is empty. */
  async write(line: string, text: string): Promise<void> {
    const path = { name: this.#name };
    const { notes } = text.trim()
      ? await api("PUT solutions/{name}/notes", { path, body: { line, text } })
      : await api("DELETE solutions/{name}/notes", { path, query: { line } });
    this.#take(path.name, notes);
  }

  #take(name: string, notes: NoteView[]): void {
    if (name !== this.#name) return;
    this.all = notes;
    this.changed();
  }
}
