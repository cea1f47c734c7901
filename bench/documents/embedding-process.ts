// An embedding endpoint in a process of its own: what it computes must not delay the clock of the measurement.
import { fakeVector, startFakeEmbeddingServer } from '../../test/support/fake-embedding-server.ts';

const dimensions = Number(process.argv[2]);
const server = await startFakeEmbeddingServer(dimensions);
server.otherwise(({ body: { input } }) => {
  server.requests.length = 0;
  return { data: input.map((text, index) => ({ index, embedding: fakeVector(text, dimensions) })) };
});
process.stdout.write(`${server.base}\n`);
process.on('disconnect', () => process.exit(0));
