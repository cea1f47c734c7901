/** The line of a character, from 1. Made once for a text. */
export function lineNumbers(text: string): (char: number) => number {
  const breaks: number[] = [];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) breaks.push(at);
  return (char) => {
    let low = 0;
    let high = breaks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (breaks[middle]! < char) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}
