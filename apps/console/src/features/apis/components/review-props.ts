import type { ReactNode } from 'react';
import type { MutationCall } from '../../../lib/mutation-text.js';

/** What every form about an API gets from its page. */
export interface ApiFormProps {
  onClose: () => void;
  /** Called with what was done and the change to follow, if nodes have to learn of it. */
  onDone: (title: string, changeId: string | null | undefined) => void;
  /** Beside Apply: another way on with the same mutation. */
  aside?: (call: MutationCall) => ReactNode;
}
