import { Injectable } from '@nestjs/common';

const PresentDate = Date;

/**
 * Moves the clock of this process, so that everything that the demo creates is dated alike: ids, defaults of columns,
 * audit entries and ledger entries take the time from different places. For the setup process, which does nothing else.
 */
@Injectable()
export class DemoClock {
  private offsetMs = 0;

  /** Unix ms, not moved. */
  presentMs(): number {
    return PresentDate.now();
  }

  /** Continues the clock from `atMs`. */
  moveTo(atMs: number): void {
    this.offsetMs = atMs - PresentDate.now();
    const nowMs = () => PresentDate.now() + this.offsetMs;
    globalThis.Date = new Proxy(PresentDate, {
      construct: (target, values: number[]) =>
        values.length === 0 ? new target(nowMs()) : new target(...(values as [number])),
      get: (target, name) => (name === 'now' ? nowMs : Reflect.get(target, name)),
    });
  }

  /** Continues with the present. */
  reset(): void {
    globalThis.Date = PresentDate;
  }
}
