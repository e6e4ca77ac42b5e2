import { type ReactNode, useEffect, useRef, useState } from 'react';
import classes from './scroll-sideways.module.css';

/** Lets wide content scroll within its frame; takes the keyboard's focus only while there is something to scroll. */
export function ScrollSideways({ children }: { children: ReactNode }) {
  const host = useRef<HTMLDivElement>(null);
  const [overflows, setOverflows] = useState(false);
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const measure = new ResizeObserver(() => setOverflows(element.scrollWidth > element.clientWidth));
    measure.observe(element);
    if (element.firstElementChild) measure.observe(element.firstElementChild);
    return () => measure.disconnect();
  }, []);
  return (
    <div ref={host} className={classes.scroll} {...(overflows ? { tabIndex: 0 } : {})}>
      {children}
    </div>
  );
}
