// Small PDFs: pages without content, written so that their objects stand in clear.

/** `page`: how each page says what it is. */
export function blankPdf(pages: number, { page = '/Type/Page', count = pages, more = '' } = {}): string {
  const kids = Array.from({ length: pages }, (_, index) => `${index + 3} 0 R`).join(' ');
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Count ${count}/Kids[${kids}]/MediaBox[0 0 612 792]>>`,
    ...Array.from({ length: pages }, () => `<<${page}/Parent 2 0 R>>`),
  ];
  const body = objects.map((object, index) => `${index + 1} 0 obj${object}endobj\n`).join('');
  return Buffer.from(`%PDF-1.4\n${body}${more}trailer<</Root 1 0 R>>\n%%EOF`, 'latin1').toString('base64');
}
