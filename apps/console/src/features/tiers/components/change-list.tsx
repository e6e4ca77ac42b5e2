import { summarizeLimit } from '@tollgate/contracts/limit-summary';
import { identityOf, type LimitChange } from '../limit-diff.js';
import { EffectBadge } from './effect-badge.js';
import classes from './tiers.module.css';

const KINDS = { added: 'New: ', removed: 'Removed: ', changed: '' } as const;

/** Changes to limits, before and after, each with its effect. */
export function ChangeList({ changes }: { changes: readonly LimitChange[] }) {
  return (
    <ul className={classes.changes}>
      {changes.map((change) => (
        <li key={identityOf(change)} className={classes.change}>
          <div className={classes.changeHead}>
            <span>
              {KINDS[change.kind]}
              {change.api} / {change.name}
            </span>
            <EffectBadge effect={change.effect} />
          </div>
          {change.fields.length > 0 && <Fields change={change} />}
          <Sentence change={change} />
        </li>
      ))}
    </ul>
  );
}

function Fields({ change }: { change: LimitChange }) {
  return (
    <dl className={classes.changeBody}>
      {change.fields.map(({ label, before, after }) => (
        <div key={label} style={{ display: 'contents' }}>
          <dt>{label}</dt>
          <dd>
            <del className={classes.before}>{before}</del>
            {' → '}
            <ins className={classes.after} style={{ textDecoration: 'none' }}>
              {after}
            </ins>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Sentence({ change }: { change: LimitChange }) {
  const limit = change.after ?? change.before;
  return (
    <p className={classes.changeSentence} style={change.fields.length === 0 ? { paddingTop: 10 } : undefined}>
      {limit && summarizeLimit(limit)}
    </p>
  );
}
