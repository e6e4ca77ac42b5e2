/** The fields of a Redis server's INFO text, by name. */
export function readServerInfo(info: string): ReadonlyMap<string, string> {
  return new Map(
    info.split(/\r?\n/).map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1)] as const;
    }),
  );
}
