/** Words of the query in a text, as marks. Also the beginning of a longer word: "read" marks "reads". */
export function Highlight({ text, query }: { readonly text: string; readonly query: string }) {
  const words = wordsOf(query);
  if (words.length === 0) return <bdi>{text}</bdi>;
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])((?:${words.join('|')})[\\p{L}\\p{N}]{0,3})(?![\\p{L}\\p{N}])`, 'giu');
  return <bdi>{text.split(pattern).map((part, at) => (at % 2 === 1 ? <mark key={at}>{part}</mark> : part))}</bdi>;
}

const STOP = new Set('a an and are for from how in is it of on or that the this to what which who with'.split(' '));

/** Only letters and digits remain, so nothing of the query can be read as a pattern. */
function wordsOf(query: string): readonly string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [];
  return [...new Set(words)].filter((word) => !STOP.has(word)).slice(0, 20);
}
