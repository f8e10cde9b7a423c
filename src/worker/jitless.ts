/** Imported first: zod would otherwise try `eval` once, which the content security policy forbids and reports. */
import { config } from "zod";

config({ jitless: true });
