import type { LimitAnswer } from '@tollgate/contracts/answers';
import { type Decision, ownDecision } from './decision.js';
import type { Events } from './events.js';
import { LocalLimiter } from './local-limiter.js';
import type { LimitRequest } from './request.js';
import type { Unavailable, UnavailableError } from './unavailable.js';

/**
 * What applies when Tollgate cannot be asked. `allow` lets everything pass, `deny` refuses it, `local` counts in this
 * process ({@link LocalLimiter}), a function chooses one of them for each request.
 */
export type OnUnavailable = UnavailableChoice | ChooseWhenUnavailable;

export type UnavailableChoice = 'allow' | 'deny' | 'local';

export type ChooseWhenUnavailable = (
  request: LimitRequest,
  unavailable: Unavailable,
) => UnavailableChoice | Promise<UnavailableChoice>;

export const UNAVAILABLE_CHOICES: readonly UnavailableChoice[] = ['allow', 'deny', 'local'];

/** Decides in the place of a Tollgate that cannot be asked. */
export class UnavailableMode {
  private readonly local: LocalLimiter | undefined;

  constructor(
    private readonly choice: OnUnavailable,
    private readonly events: Events,
  ) {
    this.local = choice === 'allow' || choice === 'deny' ? undefined : new LocalLimiter();
  }

  learn(request: LimitRequest, answer: LimitAnswer): void {
    this.local?.learn(request, answer);
  }

  async decide(request: LimitRequest, error: UnavailableError, verb: 'limit' | 'peek'): Promise<Decision> {
    const unavailable = error.toUnavailable();
    this.events.emit({ kind: 'unavailable', ...unavailable });
    const choice = typeof this.choice === 'function' ? await this.choice(request, unavailable) : this.choice;
    if (choice !== 'local' || this.local === undefined) {
      return ownDecision(choice !== 'deny', request, { unavailable });
    }
    const { success, ...more } = this.local.decide(request, verb === 'peek');
    return ownDecision(success, request, { unavailable }, more);
  }
}
