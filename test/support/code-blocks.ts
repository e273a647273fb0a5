// The code blocks of a Markdown page, each with the heading it stands under.

export interface CodeBlock {
  heading: string;
  language: string;
  code: string;
}

export function codeBlocks(markdown: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let heading = '';
  for (const [, title, language = '', code = ''] of markdown.matchAll(/^#+ (.+)$|^```(\w*)\n([\s\S]*?)^```$/gm)) {
    if (title === undefined) blocks.push({ heading, language, code });
    else heading = title;
  }
  return blocks;
}
