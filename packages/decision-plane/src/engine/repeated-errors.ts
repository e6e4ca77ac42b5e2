/** A failure that goes on is told again after this. */
const TELL_AGAIN_AFTER_MS = 60_000;

/** Lets the first of a row of like failures through, and then one a minute: a dead Redis is one alarm, not ten a second. */
export class RepeatedErrors {
  private readonly toldAtMs = new Map<string, number>();

  constructor(
    private readonly tell: (message: string, error: unknown) => void,
    private readonly nowMs: () => number = Date.now,
  ) {}

  /** @param message names the failure; one of a handful, never made from data */
  note(message: string, error: unknown): void {
    const nowMs = this.nowMs();
    const toldAtMs = this.toldAtMs.get(message);
    if (toldAtMs !== undefined && nowMs - toldAtMs < TELL_AGAIN_AFTER_MS) return;
    this.toldAtMs.set(message, nowMs);
    this.tell(message, error);
  }
}
