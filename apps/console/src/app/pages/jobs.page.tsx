import { useTranslations } from 'use-intl';
import { Page } from '../../components/page.js';
import classes from './jobs.module.css';

/** bull-board over the job queues, in a frame: the same session, its own page. */
export function JobsPage() {
  const t = useTranslations('pages');
  return (
    <Page title={t('jobs')} description={t('jobsHint')}>
      <iframe className={classes.board} src="/jobs-board/" title={t('jobsBoard')} />
    </Page>
  );
}
