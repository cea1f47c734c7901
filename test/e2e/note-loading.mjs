// For `node --import`: writes the address of every module that is loaded to the file that NOTE_LOADING names.
import { register } from 'node:module';

const hook = `
  import { appendFileSync } from 'node:fs';
  export function load(url, context, next) {
    appendFileSync(process.env.NOTE_LOADING, url + '\\n');
    return next(url, context);
  }`;
register(`data:text/javascript,${encodeURIComponent(hook)}`, import.meta.url);
