import { MultiSelect, Select, TagsInput, TextInput } from '@mantine/core';
import { ruleOf, ruleWith, withRule } from '../../../lib/limit-fields.js';
import { countsByValues } from '../../../lib/limit-text.js';
import { AdvancedTerms } from './advanced-terms.js';
import { Choice } from './choice.js';
import type { LimitFormProps } from './limit-form-props.js';
import { ALGORITHMS, RuleFields } from './rule-fields.js';
import classes from './tiers.module.css';

const MISSING_RULES = {
  shared: 'Shared counter',
  skip: 'Skip this limit',
  refuse: 'Reject the request',
};
const DIMENSIONS = ['user', 'ip', 'key', 'device', 'service', 'region', 'global'];

/** Everything about one limit except its rate; what only a few limits need is folded away. */
export function LimitForm(props: LimitFormProps) {
  const { policy, errors, editable, onChange } = props;
  const disabled = !editable;
  const rule = ruleOf(policy);
  return (
    <>
      <div className={classes.form}>
        <ScopeFields {...props} />
        <div data-span="4">
          <Choice
            label="Algorithm"
            options={ALGORITHMS}
            value={policy.algorithm}
            onChange={(algorithm) => onChange(withRule(policy, ruleWith(algorithm, rule)))}
            error={errors?.algorithm}
            disabled={disabled}
          />
        </div>
        <RuleFields
          rule={rule}
          onRule={(changed) => onChange(withRule(policy, changed))}
          errors={errors}
          disabled={disabled}
        />
        <div data-span="12">
          <TagsInput
            label="Counted per"
            description="Each tenant has its own counter. Add values to split it, such as user or ip. Start with global to count all tenants together."
            data={DIMENSIONS}
            value={policy.per}
            onChange={(per) => onChange({ ...policy, per })}
            {...(policy.per.length === 0 ? { placeholder: 'Tenant only' } : {})}
            maxTags={4}
            error={errors?.per}
            disabled={disabled}
          />
        </div>
        {countsByValues(policy.per) && (
          <div data-span="4">
            <Choice
              label="If the value is missing"
              options={MISSING_RULES}
              value={policy.onMissing ?? 'shared'}
              onChange={(onMissing) => onChange({ ...policy, onMissing })}
              error={errors?.onMissing}
              disabled={disabled}
            />
          </div>
        )}
      </div>
      <AdvancedTerms {...props} />
    </>
  );
}

function ScopeFields({ policy, apis, errors, editable, onChange }: LimitFormProps) {
  const api = apis.find(({ key }) => key === policy.api);
  const disabled = !editable;
  return (
    <>
      <div data-span="4">
        <Select
          label="API"
          data={apis.map(({ key, name }) => ({ value: key, label: name }))}
          value={policy.api}
          onChange={(key) => key && onChange({ ...policy, api: key, operations: [] })}
          allowDeselect={false}
          error={errors?.api}
          disabled={disabled}
        />
      </div>
      <div data-span="4">
        <MultiSelect
          label="Operations"
          data={api?.operations.map(({ name }) => name) ?? []}
          value={policy.operations}
          onChange={(operations) => onChange({ ...policy, operations })}
          {...(policy.operations.length === 0 ? { placeholder: 'All operations' } : {})}
          error={errors?.operations}
          disabled={disabled}
        />
      </div>
      <div data-span="4">
        <TextInput
          label="Name"
          value={policy.name}
          onChange={(event) => onChange({ ...policy, name: event.currentTarget.value })}
          error={errors?.name}
          disabled={disabled}
        />
      </div>
    </>
  );
}
