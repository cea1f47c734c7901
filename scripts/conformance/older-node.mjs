// Lets the suite start on Node 20, where `fs` has no `globSync`. The commands that are used here do not call it.
import { register } from 'node:module';

const FS = `data:text/javascript,${encodeURIComponent(
  'export * from "node:fs"; export { default } from "node:fs"; export const globSync = () => { throw new Error("needs Node 22"); };',
)}`;
const hooks = `export async function resolve(specifier, context, next) {
  const isSuite = context.parentURL?.includes('/@modelcontextprotocol/conformance/') === true;
  return specifier === 'fs' && isSuite ? { url: ${JSON.stringify(FS)}, shortCircuit: true } : next(specifier, context);
}`;
if (Number(process.versions.node.split('.')[0]) < 22) register(`data:text/javascript,${encodeURIComponent(hooks)}`);
