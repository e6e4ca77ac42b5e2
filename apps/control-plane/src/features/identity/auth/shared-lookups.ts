interface Lane<T> {
  running: Promise<T>;
  /** For all who ask while it runs. */
  next?: Promise<T>;
}

/**
 * Answers many who ask for the same at once by one lookup. It begins after each of them has asked, so that nobody is
 * answered from before: what was revoked by then is found revoked.
 */
export class SharedLookups<T> {
  private readonly lanes = new Map<string, Lane<T>>();

  get(key: string, look: () => Promise<T>): Promise<T> {
    const lane = this.lanes.get(key);
    if (lane === undefined) return this.start(key, look);
    const start = () => this.start(key, look);
    lane.next ??= lane.running.then(start, start);
    return lane.next;
  }

  private start(key: string, look: () => Promise<T>): Promise<T> {
    const lane: Lane<T> = { running: look() };
    this.lanes.set(key, lane);
    const end = () => {
      if (lane.next === undefined) this.lanes.delete(key);
    };
    lane.running.then(end, end);
    return lane.running;
  }
}
