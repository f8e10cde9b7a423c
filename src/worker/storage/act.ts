/** What a person did: on the disk, and known to every tab's memory, before it is acknowledged (A7). */
import type { Ground } from "./ground";
import type { StoreName, WriteTx } from "./schema";
import type { Change } from "./store";

export async function act<T>(
  ground: Ground,
  stores: readonly StoreName[],
  work: (tx: WriteTx) => Promise<{ readonly answer: T; readonly changes: readonly Change[] }>,
): Promise<T> {
  const { answer, changes } = await ground.database.write(stores, "strict", work);
  ground.changes.announce(...changes);
  ground.witnessSoon();
  await ground.replays.emptyEverywhere();
  return answer;
}
