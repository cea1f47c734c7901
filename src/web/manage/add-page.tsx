import type { FunctionComponent } from 'preact';
import { hrefOf, type PageProps } from '../data/navigation.ts';
import { Link } from '../parts/link.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { AddAgent } from './add-agent.tsx';
import { AddFile } from './add-file.tsx';
import { AddServer } from './add-server.tsx';
import { AddSkill } from './add-skill.tsx';

const WAYS: readonly { readonly name: string; readonly title: string; readonly form: FunctionComponent }[] = [
  { name: 'server', title: 'MCP server', form: AddServer },
  { name: 'agent', title: 'A2A agent', form: AddAgent },
  { name: 'skill', title: 'SKILL.md', form: AddSkill },
  { name: 'file', title: 'File', form: AddFile },
];

export function AddPage({ address }: PageProps) {
  const chosen = WAYS.find(({ name }) => name === address.query.get('as')) ?? WAYS[0]!;
  return (
    <>
      <PageHead title="Add">
        Register a server by its address, an agent by its card, a skill by its SKILL.md, or everything of a file. To
        register a server that is started by a command, use <code>dowser add</code>: nothing that is added here is
        started.
      </PageHead>
      <nav class="row ways" aria-label="What to add">
        {WAYS.map(({ name, title }) => (
          <Link key={name} href={hrefOf('/ui/add', { as: name })} isCurrent={name === chosen.name}>
            {title}
          </Link>
        ))}
      </nav>
      <div class="card form">
        <chosen.form key={chosen.name} />
      </div>
    </>
  );
}
