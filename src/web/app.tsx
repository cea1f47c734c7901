import { useEffect, useRef, useState } from 'preact/hooks';
import { type Access, AccessContext, useAccessState } from './access/access.ts';
import { MayNot, SignedOut, SignInDialog } from './access/sign-in.tsx';
import { type Address, useAddress } from './data/navigation.ts';
import { PAGES, type Page } from './pages.ts';
import { Link } from './parts/link.tsx';
import { takeEarlyKeys } from './search/early-keys.ts';
import { Header } from './shell/header.tsx';
import { HealthContext, useHealthPolling } from './shell/health.ts';
import { HealthBanner } from './shell/health-banner.tsx';

export function App() {
  const address = useAddress();
  const access = useAccessState();
  const health = useHealthPolling(access.state === 'open');
  const [isSigningIn, setSigningIn] = useState(false);
  const page = PAGES.find(({ path }) => path === address.path.replace(/(.)\/$/, '$1'));
  const main = useRef<HTMLElement>(null);
  const title = page?.title ?? 'Not found';
  const isFirst = useRef(true);
  useEffect(() => {
    document.title = `${title} · Dowser`;
    // A screen reader then reads the new page, as after a link to another document.
    if (!isFirst.current && page?.path !== '/') main.current?.focus();
    isFirst.current = false;
  }, [title]);
  const { state, turn, wasRefused, failure } = access;
  // Only the search box takes them, and it has done so by now.
  useEffect(() => {
    if (state !== 'asking') takeEarlyKeys();
  }, [state]);
  // Not right after somebody signed out.
  const mustSignIn = (state === 'closed' && turn === 0) || wasRefused !== undefined;
  useEffect(() => setSigningIn(mustSignIn || failure !== undefined), [state, wasRefused, failure]);
  const signIn = () => setSigningIn(true);
  return (
    <AccessContext.Provider value={access}>
      <HealthContext.Provider value={health}>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <Header all={PAGES} current={page?.under ?? page?.path} onSignIn={signIn} />
        <HealthBanner />
        <main id="main" tabIndex={-1} ref={main}>
          <Content key={turn} access={access} page={page} address={address} onSignIn={signIn} />
        </main>
        {access.canSignIn && <SignInDialog access={access} isOpen={isSigningIn} onClose={() => setSigningIn(false)} />}
      </HealthContext.Provider>
    </AccessContext.Provider>
  );
}

interface ContentProps {
  readonly access: Access;
  readonly page: Page | undefined;
  readonly address: Address;
  readonly onSignIn: () => void;
}

function Content({ access, page, address, onSignIn }: ContentProps) {
  const { state, user } = access;
  if (state === 'asking') return null;
  if (state === 'closed') return <SignedOut access={access} onSignIn={onSignIn} />;
  if (page === undefined) return <NotFound />;
  if (page.writes && user?.can_modify_servers === false) return <MayNot right="write" />;
  if (page.admin && user?.is_admin === false) return <MayNot right="admin" />;
  return <page.component address={address} />;
}

function NotFound() {
  return (
    <section class="empty">
      <h1>There is no such page</h1>
      <p>
        <Link href="/">Search the registry</Link>
      </p>
    </section>
  );
}
