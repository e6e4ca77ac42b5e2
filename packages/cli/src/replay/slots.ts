/** Bounds how many calls are in flight. One taker at a time; anyone may give back. */
export class Slots {
  private used = 0;
  private wake: (() => void) | undefined;

  constructor(private readonly size: number) {}

  /** Takes a slot, and waits for one where all are taken. */
  async take(): Promise<void> {
    if (this.used >= this.size) await this.changed();
    this.used++;
  }

  giveBack(): void {
    this.used--;
    this.wake?.();
    this.wake = undefined;
  }

  /** Waits until none is taken. */
  async drained(): Promise<void> {
    while (this.used > 0) await this.changed();
  }

  private changed(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }
}
