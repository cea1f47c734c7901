import { api } from '../api.ts';
import { entityHref } from '../navigation.ts';
import { Link } from '../parts/link.tsx';
import { useLoad } from '../use-load.ts';

/** The cosine from which an agent can hardly tell two tools apart. */
const MIN_SIMILARITY = 0.85;
const MAX_QUERY_CHARS = 2000;

interface SimilarToolsProps {
  readonly path: string;
  readonly name: string;
  readonly description: string;
}

/** Tools of other servers that say nearly the same. */
export function SimilarTools({ path, name, description }: SimilarToolsProps) {
  const query = `${name.replaceAll('_', ' ')}. ${description}`.slice(0, MAX_QUERY_CHARS);
  const { value } = useLoad(path, (signal) =>
    api.search({ body: { query, entity_types: ['tool'], preset: 'vector', max_results: 5 } }, { signal }),
  );
  const near = (value?.results ?? []).filter(
    (tool) => tool.path !== path && (tool.similarity_score ?? 0) >= MIN_SIMILARITY,
  );
  if (near.length === 0) return null;
  return (
    <li class="hint">
      <strong>Nearly the same as </strong>
      {near.map((tool, at) => (
        <span key={tool.path}>
          {at > 0 && ', '}
          <Link href={entityHref(`tool:${tool.path}`)}>
            <bdi>{tool.path}</bdi>
          </Link>
        </span>
      ))}
      <strong>.</strong> Say what is different, so that an agent can choose.
    </li>
  );
}
