import { edgeWords } from '../src/recommend/edge-words.ts';
import { sampleOf, schemaEdges } from './quality/schema-sample.ts';
import { setFolders } from './quality/set-folders.ts';

/** Prints the sample of edges from tool schemas, to be read one by one. */
const [data] = process.argv.slice(2);
if (data === undefined) {
  process.stderr.write('usage: node --import tsx bench/sample-edges.ts DIR\n');
  process.exit(2);
}
const edges = await schemaEdges({ sets: await setFolders(data) });
for (const edge of sampleOf(edges)) process.stdout.write(`${edgeWords(edge)}\n`);
process.stderr.write(`${edges.length} edges\n`);
