import { useQuery } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { askToConfirm } from '../../../components/confirmation.js';
import type { MutationCall } from '../../../lib/mutation-text.js';
import { usePermission } from '../../../lib/viewer.js';
import { type ApiChoice, ownPoliciesOf, policiesOf, type TierDetail } from '../api/tier.js';
import { useTierDraftSave } from '../api/tier-draft-save.js';
import { tierLintQuery } from '../api/tier-lint.js';
import type { TierPublished } from '../api/tier-publish.js';
import { placeFindings } from '../findings.js';
import { diffLimits } from '../limit-diff.js';
import { placeUserErrors } from '../limit-edits.js';
import { ConflictBanner } from './conflict-banner.js';
import { DraftBanner } from './draft-banner.js';
import { LimitsEditor } from './limits-editor.js';
import { PublishReview } from './publish-review.js';
import { Notes } from './row-findings.js';
import { SaveBar } from './save-bar.js';
import type { TierEditor } from './use-tier-editor.js';

interface TierWorkspaceProps {
  tier: TierDetail;
  apis: readonly ApiChoice[];
  editor: TierEditor;
  onApplied: (published: TierPublished) => void;
  /** Beside Apply: another way on with the same mutation. */
  aside?: (call: MutationCall, reason: string | null) => ReactNode;
}

/** Editing, reviewing and applying a tier's limits. */
export function TierWorkspace({ tier, apis, editor, onApplied, aside }: TierWorkspaceProps) {
  const { allowed } = usePermission('tiers:write');
  const [reviewing, setReviewing] = useState(false);
  const save = useTierDraftSave();
  const { data: findings = [] } = useQuery(tierLintQuery(tier.key, tier.published?.number));
  const { byLimit, others } = placeFindings(findings, policiesOf(tier.published));
  const { edits, changes } = editor;
  const editable = allowed && tier.managedBy === 'CONSOLE' && !tier.archivedAt;
  const policies = edits.rows.map(({ policy }) => policy);
  const dirty = changes.length > 0 || !editor.sound;
  const conflict = editor.theirChanges;
  useLeaveGuard(dirty && !editor.savedAsDraft);

  const reload = () => {
    setReviewing(false);
    editor.reload();
  };
  return (
    <>
      {conflict && (
        <ConflictBanner theirChanges={conflict} onKeepOnTop={editor.keepOnTop} onReload={reload} />
      )}
      {tier.draft && !dirty && <DraftBanner tier={tier} onResume={editor.resumeDraft} />}
      <Notes findings={others} />
      <LimitsEditor
        rows={edits.rows}
        inherited={tier.published?.limits.filter(({ origin }) => origin === 'DEFAULT') ?? []}
        findings={byLimit}
        apis={apis}
        changes={changes}
        errors={editor.errors}
        editable={editable}
        lastStoredRowId={editor.lastStoredRowId}
        dispatch={editor.dispatch}
        onReadable={editor.setReadable}
      />
      {dirty && !conflict && (
        <SaveBar
          changes={changes}
          sound={editor.sound}
          draft={{
            saved: editor.savedAsDraft,
            saving: save.isPending,
            problem: save.error?.message,
            onSave: () =>
              save.mutate({ tierKey: tier.key, expectedVersion: editor.base.version, limits: policies }),
          }}
          onDiscard={reload}
          onReview={() => setReviewing(true)}
        />
      )}
      {reviewing && !conflict && (
        <PublishReview
          tier={tier}
          expectedVersion={editor.base.version}
          limits={policies}
          changes={changes}
          replacesDraft={tier.draft != null && diffLimits(ownPoliciesOf(tier.draft), policies).length > 0}
          onClose={() => setReviewing(false)}
          onApplied={(published) => {
            setReviewing(false);
            onApplied(published);
          }}
          onRefused={(userErrors) => {
            const placed = placeUserErrors(edits.rows, userErrors);
            editor.setServerErrors(placed.byRow);
            if (placed.byRow.size > 0) setReviewing(false);
          }}
          aside={aside}
        />
      )}
    </>
  );
}

/** Asks before edits are lost by going elsewhere. */
function useLeaveGuard(active: boolean): void {
  useBlocker({
    disabled: !active,
    enableBeforeUnload: active,
    shouldBlockFn: () =>
      new Promise<boolean>((answer) => {
        askToConfirm({
          title: 'Leave without applying?',
          children: 'Your changes to this tier are on this page only. Leaving drops them.',
          labels: { confirm: 'Discard changes', cancel: 'Stay' },
          color: 'ember',
          onConfirm: () => answer(false),
          onCancel: () => answer(true),
        });
      }),
  });
}
