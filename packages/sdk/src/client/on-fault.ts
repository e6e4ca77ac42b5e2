import { type Amended, type Decision, ownDecision } from './decision.js';
import type { Events } from './events.js';
import { type FaultChoice, isCallersOwn, type TollgateFault } from './fault.js';
import type { LimitRequest } from './request.js';

/**
 * The action when Tollgate rejects the call: a wrong token, an unknown tenant, a body that is not valid. `allow` lets the
 * request pass, `deny` refuses it, `throw` throws the {@link TollgateFault}; a function chooses for each request.
 */
export type OnFault = FaultChoice | ChooseOnFault;

export type ChooseOnFault = (
  request: LimitRequest,
  fault: TollgateFault,
) => FaultChoice | Promise<FaultChoice>;

export const FAULT_CHOICES: readonly FaultChoice[] = ['throw', 'allow', 'deny'];

/** Decides requests that Tollgate rejected. An API key that is not valid is its sender's fault and is always thrown. */
export class FaultMode {
  constructor(
    private readonly choice: OnFault,
    private readonly events: Events,
  ) {}

  /** @throws TollgateFault when `throw` applies, or the sender's API key is not valid */
  async decide(request: LimitRequest, fault: TollgateFault): Promise<Decision> {
    if (isCallersOwn(fault)) throw fault;
    const choice = typeof this.choice === 'function' ? await this.choice(request, fault) : this.choice;
    this.emit(fault, choice);
    if (choice === 'throw') throw fault;
    return ownDecision(choice !== 'deny', request, { fault: fault.problem });
  }

  /**
   * The result of a verb other than a decision. Such a call has nothing to allow: also with `deny` or a function, it reports
   * the fault unless `onFault` is `throw`.
   */
  amended(fault: TollgateFault): Amended {
    if (isCallersOwn(fault)) throw fault;
    const choice = typeof this.choice === 'function' ? 'allow' : this.choice;
    this.emit(fault, choice);
    if (choice === 'throw') throw fault;
    return { status: 'fault', returned: 0, problem: fault.problem };
  }

  private emit(fault: TollgateFault, applied: FaultChoice): void {
    const { code, message, problem } = fault;
    this.events.emit({ kind: 'fault', code, message, problem, applied });
  }
}
