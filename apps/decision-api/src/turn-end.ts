/** What goes on together: enough to share calls to the counters, few enough that what arrives meanwhile is seen soon. */
const TOGETHER = 128;

interface Group {
  readonly begun: Promise<void>;
  readonly begin: () => void;
  size: number;
}

/** Those that wait, in the order in which they came. */
const groups: Group[] = [];

/**
 * The end of this turn of the event loop: nothing is waited for, but whatever arrived with it on other connections goes first.
 * Requests that go on together from there travel to the counters together, which spares most calls of a busy door. More than some
 * take turns with what still arrives, so that who has to be turned away hears of it soon.
 */
export function turnEnd(): Promise<void> {
  let group = groups.at(-1);
  if (group === undefined || group.size >= TOGETHER) {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    group = { begun, begin, size: 0 };
    if (groups.push(group) === 1) setImmediate(beginFirst);
  }
  group.size++;
  return group.begun;
}

function beginFirst(): void {
  groups.shift()?.begin();
  if (groups.length > 0) setImmediate(beginFirst);
}
