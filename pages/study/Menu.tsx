/** A button that opens a list of links and buttons; Escape, a choice and a click elsewhere close it. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

export function Menu({ title, children }: { title: string; children: ComponentChildren }) {
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event) => {
      const one = menu.current;
      if (!one?.open || (event instanceof KeyboardEvent && event.key !== "Escape")) return;
      if (event.type === "click" && one.querySelector("summary")?.contains(event.target as Node)) return;
      one.open = false;
      if (event instanceof KeyboardEvent) one.querySelector("summary")?.focus();
    };
    for (const kind of ["click", "keydown"]) document.addEventListener(kind, close);
    return () => {
      for (const kind of ["click", "keydown"]) document.removeEventListener(kind, close);
    };
  }, []);
  return (
    <details class="menu" ref={menu}>
      <summary>{title}</summary>
      <div>{children}</div>
    </details>
  );
}
