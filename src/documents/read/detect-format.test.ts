import { describe, expect, it } from 'vitest';
import { detectFormat } from './detect-format.ts';

describe('detectFormat', () => {
  it.each([
    ['notes.md', '# Notes', 'markdown'],
    ['NOTES.MARKDOWN', '', 'markdown'],
    ['page.HTM', 'text', 'html'],
    ['unknown', '<!DOCTYPE html><p>x', 'html'],
    ['stock.csv', 'a,b', 'csv'],
    ['stock.tsv', 'a\tb', 'tsv'],
    ['main.rs', 'fn main() {}', 'code'],
    ['Makefile', 'all:', 'code'],
    ['README', 'words', null],
    ['letter.txt', 'words', null],
    ['no-extension', '%PDF-1.7 ...', 'pdf'],
    ['late.pdf', '\n\n%PDF-1.4 ...', 'pdf'],
    ['about-pdf.txt', 'A file begins with %PDF-', null],
    ['letter.docx', 'PK\x03\x04...', 'docx'],
  ])('takes %s for what it is', (name, start, format) => {
    expect(detectFormat(name, Buffer.from(start, 'latin1'))).toBe(format);
  });

  it.each([
    ['scan.png', '\x89PNG\r\n\x1a\n', 'unsupported', 'is a picture'],
    ['photo.txt', '\xff\xd8\xff\xe0', 'unsupported', 'is a picture'],
    ['table.ods', 'PK\x03\x04', 'unsupported', 'is a spreadsheet'],
    ['old.doc', '\xd0\xcf\x11\xe0', 'unsupported', 'Save it as DOCX or PDF'],
    ['locked.docx', '\xd0\xcf\x11\xe0', 'encrypted', 'needs a password'],
    ['letter.rtf', '{\\rtf1', 'unsupported', 'RTF'],
    ['empty.pdf', 'words', 'broken', 'is no PDF file'],
    ['empty.docx', 'words', 'broken', 'is no DOCX file'],
  ])('says what is wrong with %s', (name, start, failed, words) => {
    expect(detectFormat(name, Buffer.from(start, 'latin1'))).toMatchObject({
      failed,
      message: expect.stringContaining(words),
    });
  });

  it('takes text that begins with BM for text', () => {
    expect(detectFormat('cars.txt', Buffer.from('BMW builds cars in many places of the world.'))).toBeNull();
  });
});
