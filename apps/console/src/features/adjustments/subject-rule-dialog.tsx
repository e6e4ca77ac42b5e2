import { Autocomplete, Group, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { CreateModal } from '../../components/create-modal.js';
import { TargetFields } from '../../components/effect-fields.js';
import { ReasonField } from '../../components/fields.js';
import { Hint } from '../../components/page.js';
import { bindFields } from '../../lib/form.js';
import { AMOUNT_HINT_TEXT, EFFECT_KIND_TEXT } from '../../lib/labels.js';
import { DIMENSIONS } from '../../lib/limit-fields.js';
import { useMutationDialog } from '../../lib/mutation.js';
import type { AdjustmentTenant } from './adjustment-dialog.js';
import {
  draftOf,
  effectsFor,
  findDraftProblems,
  NEW_RULE,
  type SubjectRuleDraft,
  subjectRuleInput,
} from './subject-rule-draft.js';
import { type SubjectRuleInList, SubjectRuleSetDocument, subjectRulesKey } from './subject-rules-api.js';

const FIELDS = ['dimension', 'pattern', 'apiKey', 'limit', 'effect', 'startsAt', 'expiresAt', 'reason'];

const KINDS = {
  DENY: 'Deny',
  EXEMPT: 'Exempt',
  SET: EFFECT_KIND_TEXT.SET,
  MULTIPLY: EFFECT_KIND_TEXT.MULTIPLY,
};

const ALL_KINDS = ['DENY', 'EXEMPT', 'SET', 'MULTIPLY'] as const;

/** Next to each other where both are readable in full. */
const TIME_FLEX = '1 1 170px';

interface SubjectRuleDialogProps {
  tenant: AdjustmentTenant;
  /** The rule to replace; omitted: a new one. */
  rule?: SubjectRuleInList;
  onClose: () => void;
  /** Called with the change to follow and a title. */
  onChanged: (changeId: string, title: string) => void;
}

/** Adds a rule for subjects, or changes effect, times and reason of one. */
export function SubjectRuleDialog({ tenant, rule, onClose, onChanged }: SubjectRuleDialogProps) {
  const { timeZone, limits } = tenant;
  const [draft, setDraft] = useState(() => (rule ? draftOf(rule, timeZone) : NEW_RULE));
  const [isTried, setTried] = useState(false);
  const { errors: refused, dialog } = useMutationDialog(SubjectRuleSetDocument, FIELDS, subjectRulesKey);
  const problems = findDraftProblems(draft);
  const isComplete = Object.keys(problems).length === 0;
  const errors = isTried ? { ...refused, ...problems } : refused;
  const set = (part: Partial<SubjectRuleDraft>) => setDraft((now) => ({ ...now, ...part }));
  const bind = bindFields(draft, set, errors);
  const subject = `${draft.dimension} ${draft.pattern}`;
  const { onSubmit, ...modal } = dialog(
    isComplete ? subjectRuleInput(tenant, draft, rule) : undefined,
    ({ changeId }) => {
      onClose();
      if (changeId) onChanged(changeId, `Rule for ${subject} of ${tenant.name} set`);
    },
  );
  return (
    <CreateModal
      title={rule ? `Edit rule for ${subject}` : `Add rule for subjects of ${tenant.name}`}
      submitLabel={rule ? 'Save' : 'Add rule'}
      onClose={onClose}
      onSubmit={() => {
        setTried(true);
        onSubmit();
      }}
      {...modal}
    >
      {rule ? (
        <Hint>{targetText(rule)}. To use another API or limit, add another rule.</Hint>
      ) : (
        <SubjectFields draft={draft} bind={bind} limits={limits} />
      )}
      <EffectPart
        draft={draft}
        bind={bind}
        kinds={rule ? effectsFor(rule) : ALL_KINDS}
        error={errors.effect}
      />
      {!rule && (
        <TargetFields
          value={draft.kind === 'DENY' ? { ...draft, limit: null } : draft}
          onChange={set}
          apis={[...new Set(limits.map(({ api }) => api))].sort().map((key) => ({ value: key, label: key }))}
          limits={
            draft.kind === 'DENY'
              ? []
              : limits.flatMap(({ api, name }) => (api === draft.apiKey ? [name] : []))
          }
          errors={errors}
        />
      )}
      <Group align="start">
        <TextInput
          type="datetime-local"
          label="Start"
          description={`Empty: now. Time in ${timeZone}`}
          flex={TIME_FLEX}
          {...bind('startsAt')}
        />
        <TextInput
          type="datetime-local"
          label="End"
          description="Empty: no end"
          flex={TIME_FLEX}
          {...bind('expiresAt')}
        />
      </Group>
      <ReasonField required {...bind('reason')} />
    </CreateModal>
  );
}

interface PartProps {
  draft: SubjectRuleDraft;
  bind: ReturnType<typeof bindFields<SubjectRuleDraft>>;
}

/** Which values of which dimension the rule matches. */
function SubjectFields({ draft, bind, limits }: PartProps & Pick<AdjustmentTenant, 'limits'>) {
  const counted = [...DIMENSIONS, ...limits.flatMap(({ per }) => per)];
  return (
    <Group grow align="start">
      <Autocomplete
        label="Dimension"
        description="such as user, ip or key"
        required
        data={[...new Set(counted)].filter((name) => name !== 'global')}
        filter={({ options }) => options}
        {...bind('dimension')}
      />
      <TextInput
        label="Pattern"
        description={
          draft.dimension === 'ip' ? 'such as 203.0.113.7 or 10.0.0.0/8' : 'exact such as u1, or test-*'
        }
        required
        data-autofocus
        spellCheck={false}
        autoComplete="off"
        {...bind('pattern')}
      />
    </Group>
  );
}

interface EffectPartProps extends PartProps {
  kinds: ReadonlyArray<keyof typeof KINDS>;
  error: string | undefined;
}

/** Effect on matching requests, with its amount or message. */
function EffectPart({ draft: { kind }, bind, kinds, error }: EffectPartProps) {
  const isChange = kind === 'SET' || kind === 'MULTIPLY';
  return (
    <Group grow align="start">
      <Select
        label="Effect"
        description={kind === 'EXEMPT' ? 'Usage is still counted' : '\u00a0'}
        data={kinds.map((one) => ({ value: one, label: KINDS[one] }))}
        {...bind('kind')}
        error={kind === 'EXEMPT' ? error : undefined}
      />
      {isChange && (
        <TextInput
          label="Amount"
          description={AMOUNT_HINT_TEXT[kind]}
          required
          {...bind('amount')}
          error={error}
        />
      )}
      {kind === 'DENY' && (
        <TextInput
          label="Message"
          description="Optional, for denied callers"
          {...bind('message')}
          error={error}
        />
      )}
    </Group>
  );
}

/** `per-minute of shop`, `Every limit of shop`, `Every limit`. */
function targetText({ apiKey, limit }: SubjectRuleInList): string {
  return `${limit ?? 'Every limit'}${apiKey === null ? '' : ` of ${apiKey}`}`;
}
