/** Addresses of a server's pages; names may hold spaces and any script. The router hands parts of a path out as they stand in it. */

export function serverPath(name: string): string {
  return `/servers/${encodeURIComponent(name)}`;
}

/** The name a part of a path stands for; a part that is no encoding stands for itself. */
export function nameIn(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function policyPath(name: string): string {
  return `${serverPath(name)}/policy`;
}

export function toolPath(name: string, tool: string): string {
  return `${serverPath(name)}/tools/${encodeURIComponent(tool)}`;
}
