/** The solutions there are. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { api, messageOf } from "../api/client";
import { useEvents } from "../api/events";
import type { SolutionView } from "../api/types";
import { hasEnded } from "./jobs";

/** The list of solutions, read at once, whenever a job has ended, and by `read`; null until it is known. */
export function useSolutions(): { solutions: SolutionView[] | null; problem: string; read: () => Promise<void> } {
  const [solutions, setSolutions] = useState<SolutionView[] | null>(null);
  const [problem, setProblem] = useState("");
  const read = useCallback(async () => {
    try {
      setSolutions((await api("GET solutions")).solutions);
    } catch (error) {
      setProblem(messageOf(error));
    }
  }, []);
  const ended = useRef(new Set<string>());
  const timer = useRef(0);
  useEvents("job", (job) => {
    if ("gone" in job || !hasEnded(job)) return void ended.current.delete(job.id);
    if (ended.current.has(job.id)) return;
    ended.current.add(job.id);
    // A stream begins with all jobs there are.
    clearTimeout(timer.current);
    timer.current = window.setTimeout(read, 100);
  });
  useEffect(() => {
    read();
    return () => clearTimeout(timer.current);
  }, [read]);
  return { solutions, problem, read };
}
