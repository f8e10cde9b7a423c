/** Addresses of a server's pages; names may hold spaces and any script. */

export function serverPath(name: string): string {
  return `/servers/${encodeURIComponent(name)}`;
}

export function policyPath(name: string): string {
  return `${serverPath(name)}/policy`;
}

export function toolPath(name: string, tool: string): string {
  return `${serverPath(name)}/tools/${encodeURIComponent(tool)}`;
}
