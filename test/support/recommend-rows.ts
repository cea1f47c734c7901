/** The rows of ToolPilot's contract, and what each is about. */
export const RECOMMEND_ROWS: Readonly<Record<string, string>> = {
  'TP-1': 'keyword search over five tools',
  'TP-2': 'reciprocal rank fusion',
  'TP-3': 'the best maintained where nothing is found',
  'TP-4': 'the graph and the place among the first',
  'TP-5': 'one option or two',
  'TP-6': 'what is stable',
  'TP-7': 'filters that relax',
  'TP-8': 'the entropy of a facet',
  'TP-9': 'the decay of an edge',
  'TP-10': 'a stack of layers',
  'TP-11': 'the versions of a peer',
  'TP-12': 'versions within ranges',
  'TP-13': 'compatibility of two',
  'TP-14': 'a need with several concepts',
  'TP-15': 'install lines',
};
