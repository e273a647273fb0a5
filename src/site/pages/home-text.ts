// The front page for who reads it with curl.

export function homeText({ siteName, publicUrl }: { siteName: string; publicUrl: string }): string {
  return `# ${siteName}

One key for many model providers, in the OpenAI and the Anthropic format, billed in NT$ from a prepaid wallet.

Get a key (NT$1 of trial credit, no human needed):

    curl -s -X POST ${publicUrl}/api/agent/register

Models and prices: ${publicUrl}/api/public/catalog
Docs: ${publicUrl}/docs
Everything for machines: ${publicUrl}/llms.txt
`;
}
