import { UnstyledButton } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import {
  type ChargeRule,
  DEFAULT_ATTEMPT_TIMEOUT_MS,
  DEFAULT_PREFIXES,
  hasPenalty,
  type LimitPolicy,
  PENALTY_FIELDS,
  type Penalty,
  PREFIX_RANGES,
  type Rule,
  storagesOf,
  type WarmUp,
} from '@tollgate/contracts';
import { useId, useState } from 'react';
import { TypedField } from '../../components/typed-field.js';
import {
  ruleOf,
  ruleWith,
  withAmounts,
  withPenalty,
  withPrefix,
  withRollover,
  withSharing,
  withStorage,
  withWarmUp,
} from '../../lib/limit-fields.js';
import { describeTerms, LIMIT_LABELS, STORAGES, TERM_LABELS } from '../../lib/limit-text.js';
import {
  formatAmounts,
  formatMilliseconds,
  formatOptionalPercent,
  formatPrefix,
  parseAmounts,
  parseMilliseconds,
  parseOptionalPercent,
  parsePrefix,
} from '../../lib/rate.js';
import {
  ALGORITHM_LABELS,
  Choice,
  fieldProps,
  type LimitFormProps,
  RateInput,
  RuleFields,
  TermFields,
  typedProps,
} from './rule-fields.js';
import classes from './tiers.module.css';

const CANDIDATES = { none: 'None', ...ALGORITHM_LABELS };
const CHARGES = { always: 'Every request', on_failure: 'Failures only', on_success: 'Successes only' };
const OUTAGE_ANSWERS = { share: 'Each node spends its share', deny: 'Deny', allow: 'Allow' };
const SHARING = { separate: 'Do not count', shared: 'Count on this limit too' };
const HEADERS = { shown: 'Shown', hidden: 'Hidden' };

const FIELDS =
  /^(throttle|enforcement|charge|attemptTimeoutMs|consistency|onUnavailable|deadlineMs|storage|expectedSubjects|ipv4Prefix|ipv6Prefix|amounts|penalty|rolloverPercent|warmUp|sharedWithChildren|inHeaders|candidate)\b/;

/** Rarely used fields of a limit, collapsed until one is used or invalid. */
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
      <div id={bodyId}>{open && <Fields {...props} />}</div>
    </div>
  );
}

function Fields(props: LimitFormProps) {
  const { policy, onChange } = props;
  const own = fieldProps(props);
  const typed = typedProps(props);
  return (
    <div className={classes.form}>
      <TermFields {...props} term="throttle" />
      <TermFields {...props} term="enforcement" />
      <Choice
        label={LIMIT_LABELS.charge}
        options={CHARGES}
        value={policy.charge ?? 'always'}
        onChange={(charge) => onChange(withCharge(policy, charge))}
        {...own('charge')}
      />
      {policy.charge === 'on_failure' && (
        <TypedField
          label={LIMIT_LABELS.attemptTimeoutMs}
          unit="ms"
          value={policy.attemptTimeoutMs ?? DEFAULT_ATTEMPT_TIMEOUT_MS}
          onChange={(attemptTimeoutMs) => onChange({ ...policy, attemptTimeoutMs })}
          {...typed('attemptTimeoutMs')}
        />
      )}
      <TermFields {...props} term="consistency" />
      <Choice
        label={LIMIT_LABELS.onUnavailable}
        options={OUTAGE_ANSWERS}
        value={policy.onUnavailable}
        onChange={(onUnavailable) => onChange({ ...policy, onUnavailable })}
        {...own('onUnavailable')}
      />
      <TypedField
        label={LIMIT_LABELS.deadlineMs}
        unit={{ parse: parseMilliseconds, format: formatMilliseconds }}
        value={policy.deadlineMs}
        onChange={(deadlineMs) => onChange(withDeadline(policy, deadlineMs))}
        rightSection="ms"
        placeholder="Node default"
        {...typed('deadlineMs')}
      />
      <Choice
        label={LIMIT_LABELS.inHeaders}
        options={HEADERS}
        value={policy.inHeaders === false ? 'hidden' : 'shown'}
        onChange={(choice) => onChange({ ...policy, inHeaders: choice === 'shown' })}
        {...own('inHeaders')}
      />
      <Choice
        label={LIMIT_LABELS.sharedWithChildren}
        options={SHARING}
        value={policy.sharedWithChildren === true ? 'shared' : 'separate'}
        onChange={(choice) => onChange(withSharing(policy, choice === 'shared'))}
        {...own('sharedWithChildren')}
      />
      <PrefixFields {...props} />
      <TypedField
        label={LIMIT_LABELS.amounts}
        description="Below the limit, which all labels share; * stands for all others."
        unit={{ parse: parseAmounts, format: formatAmounts }}
        value={policy.amounts}
        onChange={(amounts) => onChange(withAmounts(policy, amounts))}
        placeholder="None, or region: eu 100, us 300, * 50"
        {...typed('amounts')}
      />
      <PenaltyFields {...props} />
      {policy.algorithm === 'quota' && (
        <TypedField
          label={LIMIT_LABELS.rolloverPercent}
          description={ROLLOVER_HELP}
          unit={{ parse: parseOptionalPercent, format: formatOptionalPercent }}
          value={policy.rolloverPercent}
          onChange={(percent) => onChange(withRollover(policy, percent))}
          placeholder="Nothing"
          {...typed('rolloverPercent')}
        />
      )}
      <WarmUpFields {...props} />
      <StorageFields {...props} />
      <CandidateFields {...props} />
    </div>
  );
}

/** For limits that count by address. */
function PrefixFields(props: LimitFormProps) {
  const { policy, onChange } = props;
  const typed = typedProps(props);
  if (!policy.per.includes('ip')) return null;
  return (['ipv4Prefix', 'ipv6Prefix'] as const).map((field) => (
    <TypedField
      key={field}
      label={LIMIT_LABELS[field]}
      description={`Addresses with the same first bits share a counter: /${PREFIX_RANGES[field][0]} to /${PREFIX_RANGES[field][1]}.`}
      unit={{ parse: parsePrefix, format: formatPrefix }}
      value={policy[field]}
      onChange={(length) => onChange(withPrefix(policy, field, length))}
      placeholder={formatPrefix(DEFAULT_PREFIXES[field])}
      {...typed(field)}
    />
  ));
}

const PENALTIES = { none: 'None', block: 'Block after repeated denials' };

/** Starts with a block of five minutes after ten denials in a minute. */
const FIRST_PENALTY: Penalty = { denials: 10, windowMs: 60_000, blockMs: 300_000, maxBlockMs: 3_600_000 };

/** Nothing for algorithms without a penalty. */
function PenaltyFields(props: LimitFormProps) {
  const { policy, onChange } = props;
  const { penalty, algorithm } = policy;
  const own = fieldProps(props);
  const typed = typedProps(props);
  if (!hasPenalty(algorithm)) return null;
  return (
    <>
      <Choice
        className={classes.firstField}
        label={LIMIT_LABELS.penalty}
        description="Each further block is twice as long."
        options={PENALTIES}
        value={penalty === undefined ? 'none' : 'block'}
        onChange={(choice) => onChange(withPenalty(policy, choice === 'none' ? undefined : FIRST_PENALTY))}
        {...own('penalty')}
      />
      {penalty !== undefined &&
        PENALTY_FIELDS.map((field) => (
          <TypedField
            key={field}
            label={TERM_LABELS[`penalty.${field}`]}
            unit={field === 'denials' ? 'count' : 'ms'}
            value={penalty[field]}
            onChange={(value) => onChange({ ...policy, penalty: { ...penalty, [field]: value } })}
            {...typed(`penalty.${field}`)}
          />
        ))}
    </>
  );
}

const ROLLOVER_HELP = 'Unused part of a period that the next one has in addition, in percent of the limit.';

const WARM_UPS = { none: 'None', ramp: 'Start at a part of the limit' };

const FIRST_WARM_UP: WarmUp = { startPercent: 20, ms: 7 * 86_400_000 };

/** Nothing for limits on all tenants together. */
function WarmUpFields(props: LimitFormProps) {
  const { policy, onChange } = props;
  const { warmUp } = policy;
  const own = fieldProps(props);
  const typed = typedProps(props);
  if (policy.per[0] === 'global') return null;
  return (
    <>
      <Choice
        className={classes.firstField}
        label={LIMIT_LABELS.warmUp}
        description="For tenants created after publication. The limit grows in four steps."
        options={WARM_UPS}
        value={warmUp === undefined ? 'none' : 'ramp'}
        onChange={(choice) => onChange(withWarmUp(policy, choice === 'none' ? undefined : FIRST_WARM_UP))}
        {...own('warmUp')}
      />
      {warmUp !== undefined && (
        <>
          <TypedField
            label={TERM_LABELS['warmUp.startPercent']}
            unit="percent"
            value={warmUp.startPercent}
            onChange={(startPercent) => onChange({ ...policy, warmUp: { ...warmUp, startPercent } })}
            {...typed('warmUp.startPercent')}
          />
          <TypedField
            label={TERM_LABELS['warmUp.ms']}
            unit="ms"
            value={warmUp.ms}
            onChange={(ms) => onChange({ ...policy, warmUp: { ...warmUp, ms } })}
            {...typed('warmUp.ms')}
          />
        </>
      )}
    </>
  );
}

const STORAGE_HELP =
  'Packed in hashes: less Redis memory for limits that count many users or addresses. One hash per subject: less Redis memory for several limits that count by the same values. Fixed once the limit is published.';
const STORAGE_FIXED = 'Fixed since the limit was published. To change it, create a limit with another name.';
const SUBJECTS_HELP =
  'Roughly how many different values (such as users) a tenant has in one window. Affects memory, never decisions.';

/** Nothing for algorithms with one storage. */
function StorageFields(props: LimitFormProps) {
  const { policy, published, onChange } = props;
  const own = fieldProps(props);
  const typed = typedProps(props);
  const { storage = 'key', expectedSubjects } = policy;
  const storages = storagesOf(policy.algorithm);
  if (storages.length === 1) return null;
  // Another storage than the published one must remain changeable, so that it can be corrected.
  const isFixed = published !== undefined && storage === (published.storage ?? 'key');
  return (
    <>
      <Choice
        className={classes.firstField}
        label={LIMIT_LABELS.storage}
        description={isFixed ? STORAGE_FIXED : STORAGE_HELP}
        options={Object.fromEntries(storages.map((name) => [name, STORAGES[name]])) as typeof STORAGES}
        value={storage}
        onChange={(chosen) => onChange(withStorage(policy, chosen))}
        {...own('storage')}
        // Not disabled: its value must remain readable.
        readOnly={isFixed}
        variant={isFixed ? 'filled' : 'default'}
      />
      {expectedSubjects !== undefined && (
        <TypedField
          label={LIMIT_LABELS.expectedSubjects}
          description={SUBJECTS_HELP}
          unit="count"
          value={expectedSubjects}
          onChange={(subjects) => onChange({ ...policy, expectedSubjects: subjects })}
          {...typed('expectedSubjects')}
        />
      )}
    </>
  );
}

/** A rule to try next to the limit: counted, never enforced. */
function CandidateFields(props: LimitFormProps) {
  const { policy, onChange } = props;
  const { candidate } = policy;
  const own = (field: string) => typedProps(props)(`candidate.${field}`);
  const set = (rule: Rule | undefined) => onChange(withCandidate(policy, rule));
  return (
    <>
      <Choice
        className={classes.firstField}
        label={LIMIT_LABELS.candidate}
        options={CANDIDATES}
        value={candidate?.algorithm ?? 'none'}
        onChange={(choice) =>
          set(choice === 'none' ? undefined : ruleWith(choice, candidate ?? ruleOf(policy)))
        }
        {...fieldProps(props)('candidate.algorithm')}
      />
      {candidate && (
        <>
          <RateInput
            label="Candidate rate"
            rule={candidate}
            onRule={set}
            {...own('limit')}
            error={own('limit').error ?? own('windowMs').error}
          />
          <RuleFields rule={candidate} onRule={set} own={own} />
        </>
      )}
    </>
  );
}

function withCandidate({ candidate: _, ...policy }: LimitPolicy, candidate: Rule | undefined): LimitPolicy {
  return candidate ? { ...policy, candidate } : policy;
}

/** Only a limit that counts failures has attempts that expire. */
function withCharge({ attemptTimeoutMs, ...policy }: LimitPolicy, charge: ChargeRule): LimitPolicy {
  return charge === 'on_failure' && attemptTimeoutMs !== undefined
    ? { ...policy, charge, attemptTimeoutMs }
    : { ...policy, charge };
}

function withDeadline(
  { deadlineMs: _, ...policy }: LimitPolicy,
  deadlineMs: number | undefined,
): LimitPolicy {
  return deadlineMs === undefined ? policy : { ...policy, deadlineMs };
}
