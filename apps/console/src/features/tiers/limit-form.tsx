import { MultiSelect, Select, TagsInput, TextInput } from '@mantine/core';
import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react';
import { EVERY_API } from '@tollgate/contracts/limit-scope';
import { DIMENSIONS, ruleOf, ruleWith, withPer, withReach, withRule } from '../../lib/limit-fields.js';
import { countsByValues, LIMIT_LABELS } from '../../lib/limit-text.js';
import { plural } from '../../lib/number-format.js';
import { AdvancedTerms } from './advanced-terms.js';
import type { LintFinding } from './api.js';
import {
  ALGORITHM_LABELS,
  Choice,
  fieldProps,
  type LimitFormProps,
  RuleFields,
  typedProps,
} from './rule-fields.js';
import classes from './tiers.module.css';

/** Lint findings of one limit. */
export function RowFindings({ findings }: { findings: readonly LintFinding[] }) {
  if (findings.length === 0) return null;
  return (
    <ul className={classes.findings}>
      {findings.map(({ code, severity, message, advice }) => {
        const Icon = severity === 'INFO' ? IconInfoCircle : IconAlertTriangle;
        return (
          <li key={code + message} data-severity={severity}>
            <Icon size={15} stroke={1.8} aria-hidden />
            <span>
              {message} <span className="tg-soft">{advice}</span>
            </span>
          </li>
        );
      })}
    </ul>
  );
}

/** Lint findings of a version: errors and warnings first, notes collapsed. */
export function Notes({ findings }: { findings: readonly LintFinding[] }) {
  const notes = findings.filter(({ severity }) => severity === 'INFO');
  const others = findings.filter(({ severity }) => severity !== 'INFO');
  return (
    <>
      <RowFindings findings={others} />
      {notes.length > 0 && (
        <details className={classes.notes}>
          <summary>{plural(notes.length, 'note')} on the published version</summary>
          <RowFindings findings={notes} />
        </details>
      )}
    </>
  );
}

const MISSING_RULES = {
  shared: 'Shared counter',
  skip: 'Skip this limit',
  refuse: 'Reject the request',
};
/** All fields of a limit except its rate; rarely used fields are collapsed. */
export function LimitForm(props: LimitFormProps) {
  const { policy, apis, onChange } = props;
  const own = fieldProps(props);
  const rule = ruleOf(policy);
  const alsoApis = [...(policy.alsoApis ?? [])];
  const operations = apis.find(({ key }) => key === policy.api)?.operations ?? [];
  return (
    <>
      <div className={classes.form}>
        <Select
          label="API"
          data={apis.map(({ key, name }) => ({ value: key, label: name }))}
          value={policy.api}
          onChange={(key) => key && onChange(withReach({ ...policy, api: key, operations: [] }, alsoApis))}
          {...own('api')}
        />
        <MultiSelect
          label={LIMIT_LABELS.operations}
          data={operations.map(({ name }) => name)}
          value={policy.operations}
          onChange={(chosen) => onChange({ ...policy, operations: chosen })}
          {...(policy.operations.length === 0 ? { placeholder: 'All operations' } : {})}
          {...own('operations')}
          {...(alsoApis.length > 0 ? { disabled: true } : {})}
        />
        {policy.operations.length === 0 && (
          <MultiSelect
            label={LIMIT_LABELS.alsoApis}
            data={[
              { value: EVERY_API, label: 'Every other API' },
              ...apis
                .filter(({ key }) => key !== policy.api)
                .map(({ key, name }) => ({ value: key, label: name })),
            ]}
            value={alsoApis}
            onChange={(keys) => onChange(withReach(policy, keys))}
            {...(alsoApis.length === 0 ? { placeholder: 'No other API' } : {})}
            {...own('alsoApis')}
          />
        )}
        <TextInput
          label="Name"
          value={policy.name}
          onChange={(event) => onChange({ ...policy, name: event.currentTarget.value })}
          {...own('name')}
        />
        <Choice
          label={LIMIT_LABELS.algorithm}
          options={ALGORITHM_LABELS}
          value={policy.algorithm}
          onChange={(algorithm) => onChange(withRule(policy, ruleWith(algorithm, rule)))}
          {...own('algorithm')}
        />
        <RuleFields
          rule={rule}
          onRule={(changed) => onChange(withRule(policy, changed))}
          own={typedProps(props)}
        />
        <TagsInput
          className={classes.wideField}
          label={LIMIT_LABELS.per}
          description="Each tenant has its own counter. Add values to split it, such as user or ip. Start with global to count all tenants together."
          data={DIMENSIONS}
          value={policy.per}
          onChange={(per) => onChange(withPer(policy, per))}
          {...(policy.per.length === 0 ? { placeholder: 'Tenant only' } : {})}
          maxTags={4}
          {...own('per')}
        />
        {countsByValues(policy.per) && (
          <Choice
            label={LIMIT_LABELS.onMissing}
            options={MISSING_RULES}
            value={policy.onMissing ?? 'shared'}
            onChange={(onMissing) => onChange({ ...policy, onMissing })}
            {...own('onMissing')}
          />
        )}
      </div>
      <AdvancedTerms {...props} />
    </>
  );
}
