import type { EntityInput } from '../../src/model/entity.ts';

/** Something with a name in each language, and beside it something of the same kind with another name. */
export const NAMED: readonly (readonly [language: string, name: string, text: string, other: string])[] = [
  ['German', 'Wetterfrosch', 'Sagt das Wetter der nächsten Tage voraus.', 'Regenmelder'],
  ['French', 'Boîte à lettres', 'Envoie et reçoit le courrier de l’équipe.', 'Carnet d’adresses'],
  ['Spanish', 'Cuaderno de viñedos', 'Guarda notas sobre las cosechas de cada año.', 'Libro de recetas'],
  ['Polish', 'Skrzynka narzędziowa', 'Zamienia pliki i łączy je w jeden dokument.', 'Półka na książki'],
  ['Turkish', 'Işık Çevirici', 'Metinleri bir dilden başka bir dile çevirir.', 'Sözlük Dolabı'],
  ['Russian', 'Ёжик-переводчик', 'Переводит тексты с одного языка на другой.', 'Толковый словарь'],
  ['Greek', 'Ημερολόγιο πλοίου', 'Κρατά σημειώσεις για κάθε ταξίδι.', 'Χάρτης λιμανιών'],
  ['Arabic', 'دفتر الحسابات', 'يسجل المصروفات والإيرادات كل شهر.', 'حاسبة الضرائب'],
  ['Hebrew', 'יומן פגישות', 'שומר פגישות ומזכיר אותן בזמן.', 'לוח שנה'],
  ['Hindi', 'मौसम सूचक', 'अगले दिनों का मौसम बताता है।', 'वर्षा मापक'],
  ['Thai', 'สมุดบันทึก', 'เก็บบันทึกของทีมไว้ในที่เดียว', 'ปฏิทินงาน'],
  ['Chinese', '天气预报助手', '查询未来几天的天气情况。', '空气质量助手'],
  ['Japanese', '議事録メーカー', '会議の音声から議事録を作ります。', '名刺メーカー'],
  ['Korean', '번역 도우미', '글을 다른 언어로 옮겨 줍니다.', '맞춤법 도우미'],
];

const server = (path: string, name: string, description: string): EntityInput => ({
  type: 'mcp_server',
  path,
  name,
  description,
});

export const SHELF: readonly EntityInput[] = NAMED.flatMap(([language, name, text, other]) => {
  const path = `/${language.toLowerCase()}`;
  return [server(path, name, text), server(`${path}-other`, other, text)];
});

/** Nothing of any catalog: no word, or words of no language, in several scripts. */
export const NONSENSE: readonly string[] = [
  'qzxv wlkpf brrgt',
  'asdkjhasd qweoiu zmxncb',
  'xkcdqq',
  'florbnik zantwhistle',
  'жщфыва цукенг ыэъх',
  'ξψζθχ φδγκλ',
  '鑫龘靐 齉爩',
  'ㅁㄴㅇㄹ ㅋㅌㅊㅍ',
  'ضصثق فغعهخ',
  'ऋऌॠ ङञणळ',
  '!!! ??? ...',
  '🦆🪿🫧',
  '9f8a7c6b5d4e3f2a1b0c',
];
