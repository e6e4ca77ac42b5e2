import type { Problem } from '@tollgate/contracts/problems';
import type { FaultChoice } from './fault.js';
import type { Unavailable } from './unavailable.js';

/** Tollgate gave no decision in time; `onUnavailable` decided. Raised for each such request. */
export interface UnavailableEvent extends Unavailable {
  kind: 'unavailable';
}

/** Tollgate rejected the call (400, 401, 403, 404, 409); `onFault` decided. Raised for each such call. */
export interface FaultEvent {
  kind: 'fault';
  /** Stable, `token-invalid`. */
  code: Problem['code'];
  message: string;
  problem: Problem;
  /** What `onFault` chose. */
  applied: FaultChoice;
}

/** What `onEvent` receives; `kind` tells which. */
export type TollgateEvent = UnavailableEvent | FaultEvent;

/**
 * Delivers events. Without `onEvent` the first fault of each code is written to the console: a service whose limits are not
 * applied must not be silent about it. An `onEvent` that throws never fails a request.
 */
export class Events {
  private readonly warned = new Set<string>();

  constructor(private readonly onEvent: ((event: TollgateEvent) => void) | undefined) {}

  emit(event: TollgateEvent): void {
    if (this.onEvent === undefined) {
      this.warnOnce(event);
      return;
    }
    try {
      this.onEvent(event);
    } catch (error) {
      console.error('tollgate: onEvent threw', error);
    }
  }

  private warnOnce(event: TollgateEvent): void {
    if (event.kind !== 'fault' || event.applied === 'throw' || this.warned.has(event.code)) return;
    this.warned.add(event.code);
    const { code, message, applied } = event;
    console.warn(
      `tollgate: requests are not limited by Tollgate: ${code}: ${message}; onFault applied '${applied}'`,
    );
  }
}
