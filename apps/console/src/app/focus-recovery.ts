/** More than a dialog has, so that its trigger is still remembered when it closes. */
const MOST_REMEMBERED = 100;

const isUsable = (element: HTMLElement): boolean =>
  element.isConnected && element.checkVisibility() && !element.matches(':disabled, [inert] *');

/**
 * Keeps the keyboard focus when the focused element is removed or disabled: with a dialog that closes, a page that is
 * left, a button that loads. The focus returns to the element that had it before, such as the dialog's trigger, or else
 * to the heading of the page.
 */
export function recoverFocus(): void {
  /** Newest last. */
  let remembered: HTMLElement[] = [];
  let wasDisabled = false;
  const remember = ({ target }: FocusEvent) => {
    if (!(target instanceof HTMLElement)) return;
    const others = remembered.filter((element) => element !== target && element.isConnected);
    remembered = [...others, target].slice(-MOST_REMEMBERED);
    wasDisabled = false;
  };
  const recover = () => {
    const last = remembered.at(-1);
    if (last === undefined) return;
    // Before the browser moves the focus away from it, which takes until the next frame.
    if (last.isConnected && last.matches(':disabled')) wasDisabled = true;
    else if (document.activeElement === last) wasDisabled = false;
    // Still usable: the user clicked elsewhere, and the focus stays away from it.
    else if (document.activeElement === document.body && (!isUsable(last) || wasDisabled)) {
      wasDisabled = false;
      const dialog = [...document.querySelectorAll<HTMLElement>('[role="dialog"]')].at(-1);
      const heading = document.querySelector<HTMLElement>('main h1');
      const target =
        remembered.findLast((element) => isUsable(element) && (dialog?.contains(element) ?? true)) ??
        dialog ??
        heading;
      if (target && target.tabIndex < 0) target.tabIndex = -1;
      target?.focus({ preventScroll: target !== last });
    }
  };
  new MutationObserver(recover).observe(document.body, {
    childList: true,
    subtree: true,
    attributeFilter: ['disabled'],
  });
  document.addEventListener('focusin', remember);
}
