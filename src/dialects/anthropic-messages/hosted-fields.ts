// Differences of a request for Claude where a platform hosts the model: the URL names the model, the body the version
// of the format, and on Bedrock also the betas and nothing about streams.

import { type ClaudeHost, HOSTED_BETAS, HOSTED_VERSIONS } from '../../vendors/claude-hosts.ts';
import type { UpstreamFields } from '../dialect.ts';
import { betasOf } from './betas.ts';

/** Undefined members are removed. */
type HostedFields = Record<string, string | string[] | undefined>;

export function hostedFields({ claudeHost }: Pick<UpstreamFields, 'claudeHost'>): HostedFields {
  if (!claudeHost) return {};
  const { name, betas } = claudeHost;
  const known = betasOf(betas).filter((beta) => HOSTED_BETAS.has(beta.toLowerCase()));
  return {
    model: undefined,
    anthropic_version: HOSTED_VERSIONS[name],
    ...(known.length > 0 ? { anthropic_beta: known } : {}),
    ...WITHOUT[name],
  };
}

const WITHOUT: Record<ClaudeHost, HostedFields> = {
  bedrock: { stream: undefined, service_tier: undefined },
  vertex: { service_tier: undefined },
};
