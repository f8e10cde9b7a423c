/** The page's entry: the worker first, then the page. */
import { spawnAhead } from "./spawn";

spawnAhead();
void import("./main");
