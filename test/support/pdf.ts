// Small PDFs: pages without content, with their objects in clear or packed as most writers do.

import { deflateSync } from 'node:zlib';

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

/** All but the packed objects themselves is packed. `filter`: how that is described. */
export function packedPdf(pages: number, { filter = '/Filter/FlateDecode', inside = '' } = {}): string {
  const kids = Array.from({ length: pages }, (_, index) => `${index + 3} 0 R`).join(' ');
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Count ${pages}/Kids[${kids}]/MediaBox[0 0 612 792]>>`,
    ...Array.from({ length: pages }, () => '<</Type/Page/Parent 2 0 R>>'),
  ];
  const packed = deflateSync(Buffer.from(objects.join('\n') + inside, 'latin1'));
  const head = `900 0 obj<</Type/ObjStm/N ${objects.length}/First 0${filter}/Length ${packed.length}>>stream\r\n`;
  const end = '\r\nendstream endobj\n901 0 obj<</Type/XRef/Root 1 0 R>>endobj\n%%EOF';
  return Buffer.concat([Buffer.from(`%PDF-1.5\n${head}`), packed, Buffer.from(end)]).toString('base64');
}
