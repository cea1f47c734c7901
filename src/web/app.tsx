import { useEffect, useRef } from 'preact/hooks';
import { useAddress } from './navigation.ts';
import { PAGES } from './pages.ts';
import { Link } from './parts/link.tsx';
import { Header } from './shell/header.tsx';
import { HealthContext, useHealthPolling } from './shell/health.ts';
import { HealthBanner } from './shell/health-banner.tsx';

export function App() {
  const address = useAddress();
  const health = useHealthPolling();
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
  return (
    <HealthContext.Provider value={health}>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Header current={page?.path} />
      <HealthBanner />
      <main id="main" tabIndex={-1} ref={main}>
        {page === undefined ? <NotFound /> : <page.component address={address} />}
      </main>
    </HealthContext.Provider>
  );
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
