/** Short messages to the user, on the screen and to screen readers. */
import { Model, useModel } from "./model";

const SHOWN_MS = 8000;

class Message extends Model {
  text = "";
  shown = false;
  #timer = 0;

  say(text: string): void {
    Object.assign(this, { text, shown: text !== "" });
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => {
      this.shown = false;
      this.changed();
    }, SHOWN_MS);
    this.changed();
  }
}

const message = new Message();

/** Say something to the user. */
export const say = (text: string): void => message.say(text);

export function Said() {
  const { text, shown } = useModel(message);
  return (
    <p id="said" role="status" aria-live="polite" class={shown ? "shown" : ""}>
      {text}
    </p>
  );
}
