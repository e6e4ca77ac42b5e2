import { Alert, Button, Group, Stack } from '@mantine/core';
import { IconGitMerge, IconPencil } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import type { LimitPolicy } from '@tollgate/contracts';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { askToConfirm } from '../../components/confirmation.js';
import { ChangeList } from '../../components/differences.js';
import { diffLimits, identityOf, type LimitChange } from '../../lib/limit-diff.js';
import { toLimitInput } from '../../lib/limit-fields.js';
import { useInputMutation } from '../../lib/mutation.js';
import type { MutationCall } from '../../lib/mutation-text.js';
import { plural } from '../../lib/number-format.js';
import { useRequestedAction } from '../../lib/requested-action.js';
import { usePermission } from '../../lib/viewer.js';
import {
  type ApiChoice,
  ownLimitsOf,
  ownPoliciesOf,
  policiesOf,
  type TierDetail,
  TierDraftDiscardDocument,
  TierDraftSaveDocument,
  tierLintQuery,
  tiersQuery,
} from './api.js';
import {
  type EditableLimit,
  groupFindings,
  promoteCandidate,
  rebaseLimits,
  useLimitEdits,
} from './limit-edits.js';
import { Notes } from './limit-form.js';
import { LimitsEditor } from './limits-editor.js';
import { SaveBar } from './save-bar.js';
import { type TierOutcome, TierReview } from './tier-review.js';

/** The version that the edits are based on. */
interface EditBase {
  version: number;
  limits: readonly LimitPolicy[];
}

type TierEditor = ReturnType<typeof useTierEditor>;

/** A tier's limits under edit. While nothing is edited it follows the server; edits are never dropped silently. */
export function useTierEditor(tier: TierDetail) {
  const stored = useMemo(() => ownLimitsOf(tier.published), [tier]);
  const published = useMemo(() => ownPoliciesOf(tier.published), [tier]);
  const [base, setBase] = useState<EditBase>(() => ({ version: tier.version, limits: published }));
  const edits = useLimitEdits(stored);
  const { policies: mine, load } = edits;
  const changes = useMemo(() => diffLimits(base.limits, mine), [base, mine]);

  const follow = () => setBase({ version: tier.version, limits: published });
  const reload = () => {
    follow();
    load(stored);
  };

  const outdated = tier.version !== base.version;
  const nothingLost = changes.length === 0 || diffLimits(published, mine).length === 0;
  const savedAsDraft = tier.draft != null && diffLimits(ownPoliciesOf(tier.draft), mine).length === 0;
  const onlyMyDraft = diffLimits(base.limits, published).length === 0 && (!tier.draft || savedAsDraft);
  // To be decided once for each version that arrives.
  useEffect(() => {
    if (!outdated) return;
    if (nothingLost) reload();
    else if (onlyMyDraft) follow();
  }, [tier.version]);

  return {
    ...edits,
    base,
    changes,
    /** Changes published or saved by another user; undefined while the edits are based on the newest version. */
    theirChanges:
      outdated && !nothingLost && !onlyMyDraft ? diffLimits(base.limits, theirLimits(tier, base)) : undefined,
    /** The edits equal the saved draft: leaving loses nothing. */
    savedAsDraft,
    /** Replaces a limit, or a default limit of the API, by its candidate. */
    promote: (limit: LimitPolicy) => {
      const policy = promoteCandidate(limit);
      const row = edits.rows.find((one) => identityOf(one.policy) === identityOf(limit));
      edits.dispatch(row ? { type: 'change', rowId: row.rowId, policy } : { type: 'add', policy });
    },
    resumeDraft: () => tier.draft && load(ownLimitsOf(tier.draft)),
    reload,
    keepOnTop: () => {
      const rebased = rebaseLimits(mine, base.limits, published);
      follow();
      load(rebased.map((policy) => ({ policy, summary: summaryOf(policy, stored) })));
    },
  };
}

/** Limits published by another user, or else their draft. */
function theirLimits(tier: TierDetail, base: EditBase): readonly LimitPolicy[] {
  const published = ownPoliciesOf(tier.published);
  if (diffLimits(base.limits, published).length > 0 || !tier.draft) return published;
  return ownPoliciesOf(tier.draft);
}

function summaryOf(policy: LimitPolicy, stored: readonly EditableLimit[]): string | undefined {
  const same = stored.find((other) => diffLimits([other.policy], [policy]).length === 0);
  return same?.summary;
}

interface ConflictBannerProps {
  theirChanges: readonly LimitChange[];
  onKeepOnTop: () => void;
  onReload: () => void;
}

/** Shows concurrent changes of the tier, with reapply and discard. */
function ConflictBanner({ theirChanges, onKeepOnTop, onReload }: ConflictBannerProps) {
  return (
    <Alert
      role="alert"
      color="ember"
      icon={<IconGitMerge size={18} aria-hidden />}
      title="This tier changed while you were editing"
    >
      <Stack gap="sm" align="flex-start">
        {theirChanges.length > 0 ? 'Changes:' : 'Its limits are unchanged; other settings changed.'}
        {theirChanges.length > 0 && (
          <div style={{ width: '100%', maxWidth: 560 }}>
            <ChangeList changes={theirChanges} />
          </div>
        )}
        <Group gap="xs">
          <Button onClick={onKeepOnTop}>Reapply my changes</Button>
          <Button variant="default" onClick={onReload}>
            Discard my changes
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

/** A saved draft that was never published, with resume and discard. */
function DraftBanner({ tier, onResume }: { tier: TierDetail; onResume: () => void }) {
  const discard = useInputMutation(TierDraftDiscardDocument, tiersQuery.queryKey);
  if (!tier.draft) return null;
  const differences = diffLimits(ownPoliciesOf(tier.published), ownPoliciesOf(tier.draft)).length;
  return (
    <Alert
      color="ochre"
      icon={<IconPencil size={18} aria-hidden />}
      title={`Unpublished draft v${String(tier.draft.number)}`}
    >
      {differences === 0 ? 'Same as the published version.' : `Contains ${plural(differences, 'change')}.`}
      {tier.draft.note && ` Note: ${tier.draft.note}`}
      {discard.error && ` Not discarded: ${discard.error.message}`}
      <Group gap="xs" mt="xs">
        {differences > 0 && <Button onClick={onResume}>Resume</Button>}
        <GatedButton
          permission="tiers:write"
          variant="default"
          loading={discard.isPending}
          onClick={() => discard.mutate({ tierKey: tier.key, expectedVersion: tier.version })}
        >
          Discard draft
        </GatedButton>
      </Group>
    </Alert>
  );
}

interface TierWorkspaceProps {
  tier: TierDetail;
  apis: readonly ApiChoice[];
  editor: TierEditor;
  onApplied: (published: TierOutcome) => void;
  /** Next to Apply: an alternative with the same mutation, which calls `onAdded` afterwards. */
  aside?: (calls: MutationCall[], reason: string | null, onAdded: () => void) => ReactNode;
}

/** Editing, reviewing and applying a tier's limits. */
export function TierWorkspace({ tier, apis, editor, onApplied, aside }: TierWorkspaceProps) {
  const { allowed } = usePermission('tiers:write');
  const [reviewing, setReviewing] = useState(false);
  const save = useInputMutation(TierDraftSaveDocument, tiersQuery.queryKey);
  const { data: findings = [] } = useQuery(tierLintQuery(tier.key, tier.published?.number));
  const { byLimit, others } = groupFindings(findings, policiesOf(tier.published));
  const { policies, changes } = editor;
  const editable = allowed && tier.managedBy === 'CONSOLE' && !tier.archivedAt;
  const dirty = changes.length > 0 || editor.problems.length > 0;
  const conflict = editor.theirChanges;
  useLeaveGuard(dirty && !editor.savedAsDraft);
  useRequestedAction(['publish'], () => {
    if (!editable || !tier.draft) return;
    editor.resumeDraft();
    setReviewing(true);
  });

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
        editor={editor}
        inherited={tier.published?.limits.filter(({ origin }) => origin === 'DEFAULT') ?? []}
        findings={byLimit}
        apis={apis}
        editable={editable}
      />
      {dirty && !conflict && (
        <SaveBar
          changes={changes}
          problems={editor.problems}
          draft={{
            saved: editor.savedAsDraft,
            saving: save.isPending,
            problem: save.error?.message,
            onSave: () =>
              save.mutate({
                tierKey: tier.key,
                expectedVersion: editor.base.version,
                limits: policies.map(toLimitInput),
              }),
          }}
          onDiscard={reload}
          onReview={() => setReviewing(true)}
        />
      )}
      {reviewing && !conflict && (
        <TierReview
          edited={[{ tier: { ...tier, version: editor.base.version }, limits: policies, changes }]}
          guardable={(tier.published?.tenantCount ?? 0) > 0}
          replacesDraft={tier.draft != null && !editor.savedAsDraft}
          onClose={() => setReviewing(false)}
          onApplied={(published) => {
            setReviewing(false);
            onApplied(published);
          }}
          onRefused={(userErrors) => {
            if (editor.assign(userErrors)) setReviewing(false);
          }}
          aside={aside && ((calls, reason) => aside(calls, reason, reload))}
        />
      )}
    </>
  );
}

/** Confirms before navigation that would lose edits. */
function useLeaveGuard(active: boolean): void {
  useBlocker({
    disabled: !active,
    enableBeforeUnload: active,
    shouldBlockFn: () =>
      new Promise<boolean>((answer) => {
        askToConfirm({
          title: 'Leave without applying?',
          text: 'Your changes to this tier are on this page only. Leaving drops them.',
          confirm: 'Discard changes',
          cancel: 'Stay',
          onConfirm: () => answer(false),
          onCancel: () => answer(true),
        });
      }),
  });
}
