import type { ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import { AccessContext } from '../access/access.ts';
import { Link } from '../parts/link.tsx';
import { PageHead } from '../parts/page-head.tsx';

/** The pages for those who run the server. */
const OPERATE = [
  { path: '/ui/status', title: 'Status', admin: false },
  { path: '/ui/access', title: 'Access', admin: false },
  { path: '/ui/quality', title: 'Quality', admin: true },
  { path: '/ui/audit', title: 'Audit', admin: true },
  { path: '/ui/settings', title: 'Settings', admin: true },
] as const;

interface OperateHeadProps {
  readonly title: (typeof OPERATE)[number]['title'];
  readonly children: ComponentChildren;
}

export function OperateHead({ title, children }: OperateHeadProps) {
  const isAdmin = useContext(AccessContext)?.user?.is_admin === true;
  return (
    <>
      <PageHead title={title}>{children}</PageHead>
      <nav class="row ways" aria-label="Server">
        {OPERATE.filter(({ admin }) => isAdmin || !admin).map((page) => (
          <Link key={page.path} href={page.path} isCurrent={page.title === title}>
            {page.title}
          </Link>
        ))}
      </nav>
    </>
  );
}
