/** The local name a person gave a server; it is shown beside money and keys everything that is kept about it. */

export const MAX_NAME_CHARS = 64;
/** Letters, digits and a few joints: nothing invisible, nothing that changes direction, no look-alike spaces. */
const SERVER_NAME = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}_.@-]*(?: [\p{L}\p{N}\p{M}_.@-]+)*$/u;

export function isServerName(name: string): boolean {
  return name.length <= MAX_NAME_CHARS && SERVER_NAME.test(name);
}
