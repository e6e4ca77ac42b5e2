import { Autocomplete, Group, Select, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { CreateModal } from '../../components/create-modal.js';
import { TargetFields } from '../../components/effect-fields.js';
import { ReasonField } from '../../components/fields.js';
import { Hint } from '../../components/page.js';
import { NumberText } from '../../components/typed-field.js';
import { parseEffectAmount } from '../../lib/effect-text.js';
import { bindFields } from '../../lib/form.js';
import { AMOUNT_HINT_TEXT, EFFECT_KIND_TEXT } from '../../lib/labels.js';
import { DIMENSIONS } from '../../lib/limit-fields.js';
import { mutationCall, useMutationDialog } from '../../lib/mutation.js';
import type { MutationCall } from '../../lib/mutation-text.js';
import {
  draftOf,
  effectsFor,
  findDraftProblems,
  kindsFor,
  NEW_RULE,
  type RuleOwner,
  type SubjectRuleDraft,
  subjectRuleInput,
} from './subject-rule-draft.js';
import { type SubjectRuleInList, SubjectRuleSetDocument, subjectRulesKey } from './subject-rules-api.js';

const FIELDS = ['dimension', 'pattern', 'apiKey', 'limit', 'effect', 'startsAt', 'expiresAt', 'reason'];

/** Effects, as a choice. */
export const SUBJECT_EFFECTS = {
  DENY: 'Deny',
  EXEMPT: 'Exempt',
  SET: EFFECT_KIND_TEXT.SET,
  MULTIPLY: EFFECT_KIND_TEXT.MULTIPLY,
};

/** Next to each other where both are readable in full. */
const TIME_FLEX = '1 1 170px';

export interface SubjectRuleDialogProps {
  owner: RuleOwner;
  /** The rule to replace; omitted: a new one. */
  rule?: SubjectRuleInList;
  onClose: () => void;
  /** Called with the change to follow and a title. */
  onChanged: (changeId: string, title: string) => void;
  /** An alternative to applying the change, such as adding it to a change set; it closes the dialog. */
  aside?: ((call: MutationCall, onAdded: () => void) => ReactNode) | undefined;
}

/** Adds a rule for subjects, or changes effect, times and reason of one. */
export function SubjectRuleDialog({ owner, rule, onClose, onChanged, aside }: SubjectRuleDialogProps) {
  const { timeZone, limits } = owner;
  const [draft, setDraft] = useState(() => (rule ? draftOf(rule, timeZone) : NEW_RULE));
  const [isTried, setTried] = useState(false);
  const { errors: refused, dialog } = useMutationDialog(SubjectRuleSetDocument, FIELDS, subjectRulesKey);
  const problems = findDraftProblems(draft);
  const isComplete = Object.keys(problems).length === 0;
  const errors = isTried ? { ...refused, ...problems } : refused;
  const set = (part: Partial<SubjectRuleDraft>) => setDraft((now) => ({ ...now, ...part }));
  const bind = bindFields(draft, set, errors);
  const subject = `${draft.dimension} ${draft.pattern}`;
  const input = isComplete ? subjectRuleInput(owner, draft, rule) : undefined;
  const { onSubmit, ...modal } = dialog(input, ({ changeId }) => {
    onClose();
    if (changeId) onChanged(changeId, `Rule for ${subject} of ${owner.name} set`);
  });
  return (
    <CreateModal
      title={rule ? `Edit rule for ${subject}` : `Add rule for subjects of ${owner.name}`}
      submitLabel={rule ? 'Save' : 'Add rule'}
      onClose={onClose}
      onSubmit={() => {
        setTried(true);
        onSubmit();
      }}
      {...modal}
      aside={input && input.reason !== '' && aside?.(mutationCall(SubjectRuleSetDocument, input), onClose)}
    >
      {rule ? (
        <Hint>{targetText(rule)}. To use another API or limit, add another rule.</Hint>
      ) : (
        <SubjectFields draft={draft} bind={bind} limits={limits} />
      )}
      <EffectPart
        draft={draft}
        bind={bind}
        kinds={rule ? effectsFor(rule) : kindsFor(owner)}
        error={errors.effect}
      />
      {!rule && (
        <TargetFields
          value={draft.kind === 'DENY' ? { ...draft, limit: null } : draft}
          onChange={set}
          apis={owner.apis.map((key) => ({ value: key, label: key }))}
          limits={limitsFor(owner, draft)}
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

/** Limits to choose from; undefined: rules of this owner concern no single limit. */
function limitsFor({ key, limits }: RuleOwner, { kind, apiKey }: SubjectRuleDraft): string[] | undefined {
  if (key === null) return undefined;
  return kind === 'DENY' ? [] : limits.flatMap(({ api, name }) => (api === apiKey ? [name] : []));
}

interface PartProps {
  draft: SubjectRuleDraft;
  bind: ReturnType<typeof bindFields<SubjectRuleDraft>>;
}

/** Which values of which dimension the rule matches. */
function SubjectFields({ draft, bind, limits }: PartProps & Pick<RuleOwner, 'limits'>) {
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
  kinds: ReadonlyArray<keyof typeof SUBJECT_EFFECTS>;
  error: string | undefined;
}

/** Effect on matching requests, with its amount or message. */
function EffectPart({ draft: { kind, amount }, bind, kinds, error }: EffectPartProps) {
  const isChange = kind === 'SET' || kind === 'MULTIPLY';
  return (
    <Group grow align="start">
      <Select
        label="Effect"
        description={kind === 'EXEMPT' ? 'Usage is still counted' : '\u00a0'}
        data={kinds.map((one) => ({ value: one, label: SUBJECT_EFFECTS[one] }))}
        {...bind('kind')}
        error={kind === 'EXEMPT' ? error : undefined}
      />
      {isChange && (
        <NumberText
          label="Amount"
          description={AMOUNT_HINT_TEXT[kind]}
          required
          {...bind('amount')}
          parsed={parseEffectAmount({ kind, amount })}
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
