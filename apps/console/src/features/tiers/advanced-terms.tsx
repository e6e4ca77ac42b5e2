import { UnstyledButton } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import {
  type ChargeRule,
  DEFAULT_ATTEMPT_TIMEOUT_MS,
  type LimitPolicy,
  type Rule,
} from '@tollgate/contracts';
import { useId, useState } from 'react';
import { ruleOf, ruleWith } from '../../lib/limit-fields.js';
import { describeTerms } from '../../lib/limit-text.js';
import {
  ALGORITHMS,
  Choice,
  DurationInput,
  type LimitFormProps,
  MillisecondsInput,
  PercentInput,
  RateInput,
  RuleFields,
  ThrottleFields,
} from './rule-fields.js';
import classes from './tiers.module.css';

const CHOICES = { none: 'None', ...ALGORITHMS };

/** Another rule to be tried beside the limit: counted, never refusing. */
export function CandidateFields({ policy, errors, editable, onChange, onReadable }: LimitFormProps) {
  const { candidate } = policy;
  const set = (rule: Rule | undefined) => onChange(withCandidate(policy, rule));
  return (
    <>
      <div data-span="4" data-first>
        <Choice
          label="Candidate"
          options={CHOICES}
          value={candidate?.algorithm ?? 'none'}
          onChange={(choice) =>
            set(choice === 'none' ? undefined : ruleWith(choice, candidate ?? ruleOf(policy)))
          }
          error={errors?.['candidate.algorithm']}
          disabled={!editable}
        />
      </div>
      {candidate && (
        <>
          <div data-span="4">
            <RateInput
              label="Candidate rate"
              rule={candidate}
              onRule={set}
              onReadable={onReadable}
              error={errors?.['candidate.limit'] ?? errors?.['candidate.windowMs']}
              disabled={!editable}
            />
          </div>
          <RuleFields rule={candidate} onRule={set} errors={errors} path="candidate." disabled={!editable} />
        </>
      )}
    </>
  );
}

function withCandidate({ candidate: _, ...policy }: LimitPolicy, candidate: Rule | undefined): LimitPolicy {
  return candidate ? { ...policy, candidate } : policy;
}

const ENFORCEMENTS = {
  enforce: 'Always',
  shadow: 'Never: shadow mode',
  percent: 'For a share of counters',
};
const CHARGES = { always: 'Every request', on_failure: 'Failures only', on_success: 'Successes only' };
const CONSISTENCIES = { strict: 'Strict: check Redis every time', leased: 'Leased: nodes reserve capacity' };
const OUTAGE_ANSWERS = { share: 'Each node spends its share', deny: 'Deny', allow: 'Allow' };

const HEADERS = { shown: 'Shown', hidden: 'Hidden' };

const FIELDS =
  /^(throttle|enforcement|charge|attemptTimeoutMs|consistency|onUnavailable|deadlineMs|inHeaders|candidate)\b/;

/** The terms that most limits have no need of, folded away until one is used or wrong. */
export function AdvancedTerms(props: LimitFormProps) {
  const { policy, errors } = props;
  const terms = describeTerms(policy);
  const [wantsOpen, setWantsOpen] = useState(terms.length > 0);
  const bodyId = useId();
  // Messages on hidden fields would never be found.
  const open = wantsOpen || Object.keys(errors ?? {}).some((field) => FIELDS.test(field));
  return (
    <div className={classes.advanced}>
      <UnstyledButton
        className={classes.advancedToggle}
        onClick={() => setWantsOpen(!open)}
        aria-expanded={open}
        aria-controls={bodyId}
      >
        <IconChevronRight size={15} aria-hidden data-open={open || undefined} />
        Advanced
        {!open && (
          <span className={classes.advancedNote}>
            {terms.length > 0
              ? terms.join(' · ')
              : 'when exceeded, shadow mode, charging, consistency, candidate'}
          </span>
        )}
      </UnstyledButton>
      <div id={bodyId}>{open && <TermFields {...props} />}</div>
    </div>
  );
}

function TermFields(props: LimitFormProps) {
  const { policy, errors, editable, onChange } = props;
  const disabled = !editable;
  return (
    <div className={classes.form}>
      <ThrottleFields {...props} />
      <EnforcementFields {...props} />
      <div data-span="4">
        <Choice
          label="Charge"
          options={CHARGES}
          value={policy.charge ?? 'always'}
          onChange={(charge) => onChange(withCharge(policy, charge))}
          error={errors?.charge}
          disabled={disabled}
        />
      </div>
      {policy.charge === 'on_failure' && (
        <div data-span="4">
          <DurationInput
            label="Unreported attempts expire after"
            value={policy.attemptTimeoutMs ?? DEFAULT_ATTEMPT_TIMEOUT_MS}
            onValue={(attemptTimeoutMs) => onChange({ ...policy, attemptTimeoutMs })}
            error={errors?.attemptTimeoutMs}
            disabled={disabled}
          />
        </div>
      )}
      <ConsistencyFields {...props} />
      <div data-span="4">
        <Choice
          label="If Redis is unavailable"
          options={OUTAGE_ANSWERS}
          value={policy.onUnavailable}
          onChange={(onUnavailable) => onChange({ ...policy, onUnavailable })}
          error={errors?.onUnavailable}
          disabled={disabled}
        />
      </div>
      <div data-span="4">
        <MillisecondsInput
          label="Redis timeout"
          value={policy.deadlineMs}
          onValue={(deadlineMs) => onChange(withDeadline(policy, deadlineMs))}
          error={errors?.deadlineMs}
          disabled={disabled}
          unit="ms"
          placeholder="Node default"
        />
      </div>
      <div data-span="4">
        <Choice
          label="Response headers"
          options={HEADERS}
          value={policy.inHeaders === false ? 'hidden' : 'shown'}
          onChange={(choice) => onChange({ ...policy, inHeaders: choice === 'shown' })}
          error={errors?.inHeaders}
          disabled={disabled}
        />
      </div>
      <CandidateFields {...props} />
    </div>
  );
}

/** Only a limit that counts failures has attempts that expire. */
function withCharge({ attemptTimeoutMs, ...policy }: LimitPolicy, charge: ChargeRule): LimitPolicy {
  return charge === 'on_failure' && attemptTimeoutMs !== undefined
    ? { ...policy, charge, attemptTimeoutMs }
    : { ...policy, charge };
}

function withDeadline(
  { deadlineMs: _before, ...policy }: LimitPolicy,
  deadlineMs: number | undefined,
): LimitPolicy {
  return deadlineMs === undefined ? policy : { ...policy, deadlineMs };
}

function EnforcementFields({ policy, errors, editable, onChange }: LimitFormProps) {
  const { enforcement = { mode: 'enforce' } } = policy;
  return (
    <>
      <div data-span="4" data-first>
        <Choice
          label="Enforced"
          options={ENFORCEMENTS}
          value={enforcement.mode}
          onChange={(mode) =>
            onChange({ ...policy, enforcement: mode === 'percent' ? { mode, percent: 10 } : { mode } })
          }
          error={errors?.['enforcement.mode']}
          disabled={!editable}
        />
      </div>
      {enforcement.mode === 'percent' && (
        <div data-span="4">
          <PercentInput
            label="Share of counters"
            value={enforcement.percent}
            onValue={(percent) => onChange({ ...policy, enforcement: { mode: 'percent', percent } })}
            error={errors?.['enforcement.percent']}
            disabled={!editable}
          />
        </div>
      )}
    </>
  );
}

function ConsistencyFields({ policy, errors, editable, onChange }: LimitFormProps) {
  const { consistency = { mode: 'strict' } } = policy;
  return (
    <>
      <div data-span="4" data-first>
        <Choice
          label="Consistency"
          options={CONSISTENCIES}
          value={consistency.mode}
          onChange={(mode) =>
            onChange({ ...policy, consistency: mode === 'leased' ? { mode, leaseMs: 1000 } : { mode } })
          }
          error={errors?.['consistency.mode']}
          disabled={!editable}
        />
      </div>
      {consistency.mode === 'leased' && (
        <div data-span="4">
          <DurationInput
            label="Lease duration"
            value={consistency.leaseMs}
            onValue={(leaseMs) => onChange({ ...policy, consistency: { mode: 'leased', leaseMs } })}
            error={errors?.['consistency.leaseMs']}
            disabled={!editable}
          />
        </div>
      )}
    </>
  );
}
