import { expect, it } from 'vitest';
import { isOtherScript } from './other-script.ts';

it('is true if most letters are not Latin', () => {
  for (const text of ['', '42', 'weather in Zürich', 'Größe', 'the café Москва guide', 'naïve 東京']) {
    expect(isOtherScript(text)).toBe(false);
  }
  for (const text of ['天気予報', 'погода в Берлине', 'الطقس في برلين', 'weather 天気予報明日東京']) {
    expect(isOtherScript(text)).toBe(true);
  }
});
