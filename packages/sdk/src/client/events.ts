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
  /** The choice of `onFault`. */
  applied: FaultChoice;
}

/** Tollgate allowed a request that no limit covers. Raised once per API and operation: perhaps the name is misspelled. */
export interface NoLimitEvent {
  kind: 'no-limit';
  api: string;
  operation: string;
}

/** An event that `onEvent` receives; `kind` identifies its type. */
export type TollgateEvent = UnavailableEvent | FaultEvent | NoLimitEvent;

/** The most APIs and operations without a limit that are remembered; further ones raise no event. */
const MAX_UNLIMITED = 1000;

/**
 * Delivers events. Without `onEvent` the first fault of each code and each operation without a limit are written to the console:
 * a service whose limits are not applied must not be silent about it. An `onEvent` that throws never fails a request.
 */
export class Events {
  private readonly warned = new Set<string>();
  private readonly unlimited = new Set<string>();

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

  /** Raises `no-limit` for the first request of an API and operation. */
  noLimit(api: string, operation: string): void {
    const name = `${api}/${operation}`;
    if (this.unlimited.has(name) || this.unlimited.size >= MAX_UNLIMITED) return;
    this.unlimited.add(name);
    this.emit({ kind: 'no-limit', api, operation });
  }

  private warnOnce(event: TollgateEvent): void {
    if (event.kind === 'no-limit') {
      console.warn(
        `tollgate: no limit covers operation "${event.operation}" of API "${event.api}"; is the name correct?`,
      );
      return;
    }
    if (event.kind !== 'fault' || event.applied === 'throw' || this.warned.has(event.code)) return;
    this.warned.add(event.code);
    const { code, message, applied } = event;
    console.warn(
      `tollgate: requests are not limited by Tollgate: ${code}: ${message}; onFault applied '${applied}'`,
    );
  }
}
