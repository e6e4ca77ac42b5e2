import type { LimitPolicy, Rule } from '@tollgate/contracts';
import { ruleOf, ruleWith } from '../../../lib/limit-fields.js';
import { Choice } from './choice.js';
import type { LimitFormProps } from './limit-form-props.js';
import { RateInput } from './rate-input.js';
import { ALGORITHMS, RuleFields } from './rule-fields.js';

const CHOICES = { none: 'Nothing', ...ALGORITHMS };

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
