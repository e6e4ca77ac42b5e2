import { Query, Resolver } from '@nestjs/graphql';
import { AppConfig } from '../../../config/app-config.js';
import { Anonymous } from '../../../platform/access/require-permission.decorator.js';
import { Installation } from './installation.graphql.js';

@Resolver(() => Installation)
export class InstallationResolver {
  constructor(private readonly config: AppConfig) {}

  /** Anonymous: the sign-in page has to know whether to offer a sign-up. */
  @Anonymous()
  @Query(() => Installation, {
    name: 'installation',
    description: 'What everybody may know of this installation, signed in or not.',
  })
  get(): Installation {
    const { decisionUrl = null, signUpTier } = this.config;
    return { decisionUrl, signUp: signUpTier !== undefined };
  }
}
