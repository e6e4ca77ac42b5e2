import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Reversals } from '../../../platform/changes/reversals.js';

/**
 * Lets the change that applied a set be taken back like any other: each of its parts is, and of the set itself nothing has to
 * be. Not where a second person had to approve it: what takes that back is a set of its own, which needs the same.
 */
@Injectable()
export class ChangeSetReversal implements OnModuleInit {
  constructor(private readonly reversals: Reversals) {}

  onModuleInit(): void {
    this.reversals.register('changeSet.apply', {
      permission: 'change-sets:write',
      applies: ({ after }) => after?.neededApproval === false,
      run: async (_caller, change) => ({ ok: true, value: null, changeId: change.id, impact: null }),
    });
  }
}
