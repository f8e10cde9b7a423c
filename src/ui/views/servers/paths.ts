/** Addresses of a server's pages; names may hold spaces and any script. The router hands parts of a path out as they stand in it. */

export function serverPath(name: string): string {
  return `/servers/${partOf(name)}`;
}

/** A name as one part of a path. `.` and `..` would lead elsewhere, encoded or not, so they stand behind a mark. */
function partOf(name: string): string {
  const part = encodeURIComponent(name);
  return /^(\.+$|~)/.test(name) ? `~${part}` : part;
}

/** The name a part of a path stands for; a part that is no encoding stands for itself. */
export function nameIn(part: string): string {
  const marked = part.startsWith("~") ? part.slice(1) : part;
  try {
    return decodeURIComponent(marked);
  } catch {
    return marked;
  }
}

export function policyPath(name: string): string {
  return `${serverPath(name)}/policy`;
}

export function toolPath(name: string, tool: string): string {
  return `${serverPath(name)}/tools/${partOf(tool)}`;
}
