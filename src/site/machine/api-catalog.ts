// Resources that programs find by convention: the list of APIs (RFC 9727, as a linkset of RFC 9264), and how calls are authorized
// (RFC 9728). Keys come from registration, so there is no authorization server: `agent_auth` says where to register.

import { PROTECTED_RESOURCE_PATH } from '../../faults/write.ts';
import { API_CATALOG_PATH, ATOM_FEED, CHANGELOG_PATH, JSON_FEED } from '../../kit/discovery-links.ts';
import type { SiteTools } from '../tools.ts';

type Described = Pick<SiteTools, 'siteName' | 'publicUrl' | 'termsUrl' | 'privacyUrl'>;

/** The media type with the profile of the RFC. */
export const API_CATALOG_TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

export function apiCatalog({ publicUrl, termsUrl, privacyUrl }: Described) {
  const link = (path: string, type: string) => ({ href: publicUrl + path, type });
  const elsewhere = (url: string | undefined) => (url === undefined ? undefined : [{ href: url }]);
  const described = {
    'service-desc': [link('/openapi.json', 'application/json')],
    'service-doc': [link('/docs', 'text/html'), link('/llms.txt', 'text/plain'), link('/skill.md', 'text/markdown')],
    'service-meta': [link(PROTECTED_RESOURCE_PATH, 'application/json'), link('/auth.md', 'text/markdown')],
    status: [link('/api/public/status', 'application/json')],
    'version-history': [
      link(JSON_FEED.path, JSON_FEED.type),
      link(ATOM_FEED.path, ATOM_FEED.type),
      link(CHANGELOG_PATH, 'text/html'),
    ],
    deprecation: [link('/docs/versioning', 'text/html')],
    'terms-of-service': elsewhere(termsUrl),
    'privacy-policy': elsewhere(privacyUrl),
  };
  const apis = ['/v1', '/api', '/mcp'].map((path) => publicUrl + path);
  return {
    linkset: [
      { anchor: publicUrl + API_CATALOG_PATH, item: apis.map((href) => ({ href })) },
      ...apis.map((anchor) => ({ anchor, ...described })),
    ],
  };
}

export function protectedResource({ siteName, publicUrl, termsUrl }: Described) {
  return {
    resource: publicUrl,
    resource_name: siteName,
    resource_documentation: `${publicUrl}/auth.md`,
    resource_tos_uri: termsUrl,
    bearer_methods_supported: ['header'],
    agent_auth: {
      skill: `${publicUrl}/auth.md`,
      register_uri: `${publicUrl}/api/agent/register`,
      identity_types_supported: ['anonymous'],
      anonymous: { credential_types_supported: ['api_key'] },
    },
  };
}
