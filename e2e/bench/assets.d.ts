/** What Vite makes of an import with this ending: the address of a worker's script. */
declare module "*?worker&url" {
  const address: string;
  export default address;
}
