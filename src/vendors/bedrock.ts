// Facts about Amazon Bedrock.

interface RegionFields {
  kind: string;
  base_url?: string | undefined;
  region?: string | undefined;
}

/** Also in hosts of private endpoints: vpce-….bedrock-runtime.us-east-1.vpce.amazonaws.com. */
const HOST = /(?:^|\/\/|\.)bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\./;

export function regionOf({ kind, base_url: url = '', region }: RegionFields): string | undefined {
  if (kind !== 'bedrock') return undefined;
  return region ?? HOST.exec(url)?.[1];
}
