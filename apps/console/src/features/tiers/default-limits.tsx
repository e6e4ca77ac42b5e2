import { configOfPolicy, type LimitPolicy } from '@tollgate/contracts';
import { useState } from 'react';
import { AddButton } from '../../components/buttons.js';
import {
  ChangeReview,
  type ChangeReviewProps,
  type ReviewedOutcome,
} from '../../components/change-review.js';
import { ChangeList } from '../../components/differences.js';
import { CarryOverChoice } from '../../components/fields.js';
import { EmptyText, Panel } from '../../components/page.js';
import type { CarryOver } from '../../generated/graphql.js';
import { diffLimits, identityOf, type LimitChange } from '../../lib/limit-diff.js';
import { type StoredLimit, toLimitInput } from '../../lib/limit-fields.js';
import { useReviewedMutation } from '../../lib/mutation.js';
import { AddLimits } from './add-limits.js';
import { type ApiChoice, ApiDefaultLimitsSetDocument, tiersQuery } from './api.js';
import { useLimitEdits } from './limit-edits.js';
import { LimitRowItem } from './limits-editor.js';
import { SaveBar } from './save-bar.js';
import { carryOverExample } from './tier-review.js';

interface DefaultLimitsProps {
  api: ApiChoice;
  limits: readonly StoredLimit[];
  editable: boolean;
  onApplied: (changeId: string | null | undefined) => void;
}

export function DefaultLimits({ api, limits, editable, onApplied }: DefaultLimitsProps) {
  const editor = useLimitEdits(limits);
  const [reviewing, setReviewing] = useState(false);
  const [adding, setAdding] = useState(false);
  const { rows, policies, problems, dispatch } = editor;
  const stored = limits.map(({ policy }) => policy);
  const changes = diffLimits(stored, policies);
  return (
    <>
      <Panel
        title="Default limits"
        note="Every tier inherits these unless it has a limit of the same name."
        flush
        actions={
          <AddButton
            permission="apis:write"
            variant="default"
            disabled={!editable}
            onClick={() => setAdding(true)}
          >
            Add default limits
          </AddButton>
        }
      >
        {adding && (
          <AddLimits
            apis={[api]}
            existing={policies}
            onAdd={(policy) => dispatch({ type: 'add', policy })}
            onClose={() => setAdding(false)}
          />
        )}
        {rows.length === 0 && !adding && (
          <EmptyText>No defaults. Tiers without limits on this API allow everything.</EmptyText>
        )}
        <ul className="tg-list">
          {rows.map((row) => (
            <LimitRowItem
              key={row.rowId}
              row={row}
              editor={editor}
              apis={[api]}
              change={changes.find((one) => identityOf(one) === identityOf(row.policy))}
              findings={[]}
              editable={editable}
            />
          ))}
        </ul>
      </Panel>
      {(changes.length > 0 || problems.length > 0) && (
        <SaveBar
          changes={changes}
          problems={problems}
          onDiscard={() => editor.load(limits)}
          onReview={() => setReviewing(true)}
        />
      )}
      {reviewing && (
        <DefaultsReview
          api={api}
          policies={policies}
          changes={changes}
          onClose={() => setReviewing(false)}
          onApplied={onApplied}
          onRefused={(userErrors) => {
            if (editor.assign(userErrors)) setReviewing(false);
          }}
        />
      )}
    </>
  );
}

type ReviewProps = Required<ChangeReviewProps<ReviewedOutcome>>;

interface DefaultsReviewProps
  extends Pick<DefaultLimitsProps, 'api' | 'onApplied'>,
    Pick<ReviewProps, 'onClose' | 'onRefused'> {
  policies: readonly LimitPolicy[];
  changes: readonly LimitChange[];
}

function DefaultsReview({ api, policies, changes, onClose, onApplied, onRefused }: DefaultsReviewProps) {
  const [carryOver, setCarryOver] = useState<CarryOver>('KEEP');
  const input = {
    ...{ apiKey: api.key, expectedVersion: api.version, carryOver },
    limits: policies.map(toLimitInput).map(({ apiKey: _, ...limit }) => limit),
  };
  const defaultLimits = policies.map((policy) => configOfPolicy(policy, true));
  return (
    <ChangeReview
      title={`Review default limits of ${api.name}`}
      permission="apis:write"
      {...useReviewedMutation(ApiDefaultLimitsSetDocument, input, ['apis'], tiersQuery.queryKey)}
      config={{ apis: { [api.key]: { name: api.name, defaultLimits } } }}
      onRefused={onRefused}
      onClose={onClose}
      onApplied={({ changeId }) => {
        onClose();
        onApplied(changeId);
      }}
      options={
        changes.some(({ kind }) => kind === 'changed') && (
          <CarryOverChoice value={carryOver} onChange={setCarryOver} example={carryOverExample(changes)} />
        )
      }
    >
      <ChangeList changes={changes} />
    </ChangeReview>
  );
}
