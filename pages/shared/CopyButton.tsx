/** A button that copies a text. */
import { say } from "./Said";

export function CopyButton({ text, label = "Copy as command" }: { text: string; label?: string }) {
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    say("Copied.");
  };
  return (
    <button type="button" class="quiet" title={text} onClick={copy}>
      {label}
    </button>
  );
}
