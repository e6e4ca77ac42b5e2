import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react';
import { plural } from '../../../lib/number-format.js';
import type { LintFinding } from '../api/tier-lint.js';
import classes from './tiers.module.css';

/** What is wrong or doubtful with one limit, below it. */
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
              {message} <span className={classes.advice}>{advice}</span>
            </span>
          </li>
        );
      })}
    </ul>
  );
}

/** What is doubtful about a version as a whole: what is wrong at once, what is only worth knowing folded away. */
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
