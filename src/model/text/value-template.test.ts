// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of this shape are what is tested.
import { expect, it } from 'vitest';
import { toValueTemplate } from './value-template.ts';

it.each([
  ['https://a.example/mcp', 'https://a.example/mcp', undefined],
  ['https://{tenant}.a.example', 'https://{tenant}.a.example', undefined],
  ['https://a.example/?key=${KEY}', 'https://a.example/?key={KEY}', ['KEY']],
  ['${env:USER}:${input:pass-word}@${HOST:-x}', '{USER}:{pass-word}@{HOST}', ['USER', 'pass-word', 'HOST']],
])('%s becomes %s', (written, text, names) => {
  const { variables, ...template } = toValueTemplate(written);
  expect(template).toEqual({ text });
  expect(variables && Object.keys(variables)).toEqual(names);
});
