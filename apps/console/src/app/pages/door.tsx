import { type ReactNode, useEffect } from 'react';
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
        <div className={classes.foot}>Self-hosted. This console connects only to your servers.</div>
      </main>
      <aside className={classes.picture} aria-label="About Tollgate">
        <GatePicture />
        <p className={classes.claim}>Change a limit here and every node enforces it a moment later.</p>
        <p className={classes.claimNote}>Nodes keep deciding while the control plane is down.</p>
      </aside>
    </div>
  );
}
