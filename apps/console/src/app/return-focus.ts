interface Focused {
  element: HTMLElement;
  pathname: string;
}

const REMEMBERED = 20;
/** Longer than a dialog needs to return focus by itself. */
const SETTLE_MS = 60;

/**
 * Returns focus when the focused element disappears with its dialog, drawer or menu: to the element that had it before and
 * is still there, such as the button of a menu whose item opened a dialog. On a new page it goes to the content.
 */
export function returnFocus(): void {
  let trail: Focused[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement)) return;
    const before = trail.filter(({ element }) => element !== target && element.isConnected);
    trail = [...before.slice(-REMEMBERED), { element: target, pathname: window.location.pathname }];
  });
  const restore = () => {
    timer = undefined;
    if (!isFocusLost(trail.at(-1))) return;
    const scope = document.querySelector('[role="dialog"][aria-modal="true"]') ?? document.body;
    const here = trail.findLast(
      ({ element, pathname }) =>
        pathname === window.location.pathname && scope.contains(element) && isFocusable(element),
    );
    const target = here?.element ?? (scope === document.body ? document.getElementById('main') : scope);
    if (target instanceof HTMLElement) target.focus({ preventScroll: true });
  };
  new MutationObserver(() => {
    if (timer === undefined && isFocusLost(trail.at(-1))) timer = setTimeout(restore, SETTLE_MS);
  }).observe(document.body, { childList: true, subtree: true });
}

/** Nothing has focus because the element that had it is gone, not because of a click on the page. */
function isFocusLost(last: Focused | undefined): boolean {
  const { activeElement } = document;
  return (
    last !== undefined &&
    (activeElement === null || activeElement === document.body) &&
    !last.element.checkVisibility()
  );
}

const isFocusable = (element: HTMLElement) =>
  element.checkVisibility({ visibilityProperty: true }) && !element.matches(':disabled, [inert] *');
