import { api, type EntityType } from '../data/api.ts';
import { hrefOf } from '../data/navigation.ts';
import { useLoad } from '../data/use-load.ts';
import { countText, TYPES, typeWord } from '../data/words.ts';
import { CodeBlock } from '../parts/code-block.tsx';
import { Link } from '../parts/link.tsx';
import { useHealth } from '../shell/health.ts';
import { FirstRun, useFirstRun } from './first-run.tsx';
import { QUESTIONS, useQuestions } from './questions.ts';

/** What is in the registry, and three questions to try. */
export function Welcome() {
  const { health } = useHealth();
  const { done, hide } = useFirstRun(health);
  const questions = useQuestions(QUESTIONS, health?.index.entities === 0);
  // Most tools belong to servers, which the health does not count.
  const { value: catalog } = useLoad('tools', (signal) => api.listToolCatalog({ query: { limit: '1' } }, { signal }));
  const counted = health?.index.by_type ?? {};
  const tools = (counted.tool ?? 0) + (catalog?.total_count ?? 0);
  const byType: Readonly<Partial<Record<EntityType, number>>> = { ...counted, tool: tools };
  const types = TYPES.filter((type) => (byType[type] ?? 0) > 0);
  const isEmpty = health !== undefined && types.length === 0;
  return (
    <div class="welcome">
      {done !== undefined && <FirstRun done={done} onHide={hide} />}
      {isEmpty && done === undefined && <p class="quiet">The registry is empty.</p>}
      {!isEmpty && (
        <ul class="tiles" aria-label="In this registry">
          {types.map((type) => (
            <li key={type}>
              <Link href={hrefOf('/', { type })}>
                <strong>{countText(byType[type] ?? 0)}</strong> {typeWord(type, byType[type])}
              </Link>
            </li>
          ))}
        </ul>
      )}
      {!isEmpty && types.length > 0 && (
        <p>
          <Link href="/ui/map">See all of it on a map</Link>
        </p>
      )}
      {questions.length > 0 && (
        <section aria-labelledby="try">
          <h2 id="try">Try a question</h2>
          <ul class="questions">
            {questions.map((question) => (
              <li key={question}>
                <Link href={hrefOf('/', { q: question })}>{question}</Link>
              </li>
            ))}
          </ul>
        </section>
      )}
      {done === undefined && (
        <section aria-labelledby="connect">
          <h2 id="connect">Connect an agent</h2>
          <CodeBlock text={`claude mcp add --transport http dowser ${location.origin}/mcp`} />
          <p class="quiet">
            Programs use the <a href="/openapi.json">API</a>. Scripts use <code>dowser search</code>.
          </p>
        </section>
      )}
    </div>
  );
}
