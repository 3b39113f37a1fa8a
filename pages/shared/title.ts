import { useEffect } from "preact/hooks";

/** Give the page a title. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} - Errai`;
  }, [title]);
}
