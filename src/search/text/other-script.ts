/** Whether most letters of a text are not Latin. */
export function isOtherScript(text: string): boolean {
  if (!/[^\0-\u024f]/u.test(text)) return false;
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  return (text.match(/\p{Script=Latin}/gu)?.length ?? 0) * 2 < letters;
}
