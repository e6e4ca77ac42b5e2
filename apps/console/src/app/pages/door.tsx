import { type ReactNode, useEffect } from 'react';
import { useTranslations } from 'use-intl';
import { LogoMark } from '../../components/logo.js';
import { GatePicture } from './gate-picture.js';
import classes from './sign-in.module.css';

interface DoorProps {
  title: string;
  lead?: ReactNode;
  children: ReactNode;
}

/** A page before the sign-in: a form at one side, a picture at the other. */
export function Door({ title, lead, children }: DoorProps) {
  const t = useTranslations('pages.door');
  useEffect(() => {
    document.title = `${title} · Tollgate`;
  }, [title]);
  return (
    <div className={classes.split}>
      <main className={classes.formSide}>
        <div className={classes.brand}>
          <LogoMark size={28} />
          Tollgate
        </div>
        <div className={classes.form}>
          <h1 className={classes.title}>{title}</h1>
          {lead && <p className={classes.lead}>{lead}</p>}
          {children}
        </div>
        <div className={classes.foot}>{t('selfHostedThisConsole')}</div>
      </main>
      <aside className={classes.picture} aria-label={t('aboutTollgate')}>
        <GatePicture />
        <p className={classes.claim}>{t('changeALimitHere')}</p>
        <p className={classes.claimNote}>{t('decisionsGoOnEven')}</p>
      </aside>
    </div>
  );
}
