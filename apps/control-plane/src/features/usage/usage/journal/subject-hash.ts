import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../../config/app-config.js';

/**
 * Pseudonyms of the identifiers in sampled decisions. Who holds the database cannot tell who asked, nor try out all
 * addresses; who knows an identifier finds its decisions. The same identifier of two tenants has two pseudonyms.
 */
@Injectable()
export class SubjectHash {
  private readonly key: Buffer;

  constructor(config: AppConfig) {
    this.key = createHmac('sha256', config.tokenPepper).update('tollgate: subjects of decisions').digest();
  }

  /** @param value as counter keys have it, from `dimensionValue` */
  of(tenantId: string, dimension: string, value: string): string {
    const text = JSON.stringify([tenantId, dimension, value]);
    return createHmac('sha256', this.key).update(text).digest().subarray(0, 16).toString('base64url');
  }

  ofAll(tenantId: string, subject: Readonly<Record<string, string>>): Record<string, string> {
    return Object.fromEntries(
      Object.entries(subject).map(([dimension, value]) => [dimension, this.of(tenantId, dimension, value)]),
    );
  }
}
