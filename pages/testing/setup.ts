/** What vitest runs before each file of tests: nothing that a test showed may live on, not even in another file. */
import { afterEach } from "vitest";
import { cleared } from "./page";

afterEach(cleared);
