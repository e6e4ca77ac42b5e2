import type { Announcement } from '@tollgate/contracts';

/** Announcements remembered until their revision is in force. */
const MAX_HEARD = 256;

/** What was announced, in whatever order it was heard. */
export class Announcements {
  private readonly byPrevious = new Map<number, Announcement>();

  hear(announcement: Announcement): void {
    this.byPrevious.set(announcement.previous, announcement);
    if (this.byPrevious.size <= MAX_HEARD) return;
    const [oldest] = this.byPrevious.keys();
    if (oldest !== undefined) this.byPrevious.delete(oldest);
  }

  /**
   * The tenants that changed between two revisions; null where that is not known: an announcement of a revision between
   * them was not heard, or names none.
   */
  tenantsBetween(from: number, to: number): string[] | null {
    const tenants = new Set<string>();
    for (let revision = from; revision !== to; ) {
      const next = this.byPrevious.get(revision);
      if (next === undefined || next.tenants === null || next.revision <= revision || next.revision > to)
        return null;
      for (const tenant of next.tenants) tenants.add(tenant);
      revision = next.revision;
    }
    return [...tenants];
  }

  /** Those of revisions up to `revision` are of no more use. */
  forgetUpTo(revision: number): void {
    for (const [previous, announcement] of this.byPrevious) {
      if (announcement.revision <= revision) this.byPrevious.delete(previous);
    }
  }
}
