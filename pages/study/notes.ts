/** The notes on a solution, which are its bookmarks too: they lie beside its file, where `errai note` finds them. */
import { api } from "../api/client";
import type { NoteView } from "../api/types";
import { Model } from "../shared/model";

/** The text of a bookmark to which nothing has been written. */
export const BOOKMARK = "Bookmark";

export class Notes extends Model {
  all: NoteView[] = [];
  /** Of which solution they are. */
  #name = "";

  /** Read the notes on a solution; who cannot be read has none. */
  async read(name: string): Promise<void> {
    this.all = [];
    this.#name = name;
    const { notes } = await api("GET solutions/{name}/notes", { path: { name } }).catch(() => ({ notes: [] }));
    this.#take(name, notes);
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
