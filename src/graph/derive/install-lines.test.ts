import { describe, expect, it } from 'vitest';
import { installsIn } from './install-lines.ts';

const read = (text: string) => installsIn(text).map(({ ecosystem, name }) => `${ecosystem} ${name}`);

describe('TP-15: install lines', () => {
  it.each([
    ['npm install zod', ['npm zod']],
    ['$ npm i -D typescript @types/node', ['npm typescript', 'npm @types/node']],
    ['npm install --save-exact @scope/name@1.2.3 --registry http://127.0.0.1/', ['npm @scope/name']],
    ['pnpm add react react-dom', ['npm react', 'npm react-dom']],
    ['yarn global add serve', ['npm serve']],
    ['npx -y @acme/mcp-server ./folder --port 80', ['npm @acme/mcp-server']],
    ['Run `npm install left-pad` and then `cargo add serde`.', ['npm left-pad', 'cargo serde']],
    ['npm install', []],
    ['npm install --global', []],
    ['npm install ./local-folder ../other file:x https://host.example/x.tgz', []],
    ['pip install "uvicorn[standard]>=0.20" flask==2.0', ['pypi uvicorn', 'pypi flask']],
    ["python3 -m pip install --upgrade 'Pillow'", ['pypi pillow']],
    ['pip install -r requirements.txt -e . Typing_Extensions', ['pypi typing-extensions']],
    ['uv pip install ruff && uv add httpx', ['pypi ruff', 'pypi httpx']],
    ['uvx --python 3.12 --from some-tool run-it now', ['pypi some-tool']],
    ['npx --package=x -p @acme/cli acme', ['npm @acme/cli']],
    ['cargo install ripgrep --features pcre2', ['cargo ripgrep']],
    ['gem install rails -v 7.1', ['rubygems rails']],
    ['composer require vendor/package:^2.0', ['packagist vendor/package']],
    ['composer require package', []],
    ['go install github.com/acme/tool/cmd/tool@latest', ['go github.com/acme/tool/cmd/tool']],
    ['go get ./...', []],
    ['docker pull ghcr.io/acme/app:1.2', ['docker ghcr.io/acme/app']],
    ['docker run -i --rm -e KEY=abc -v /data:/data acme/server:latest --verbose arg', ['docker acme/server']],
    ['sudo brew install jq', ['homebrew jq']],
    ['npm install <package-name>', []],
    ['npm install zod # not react', ['npm zod']],
    ['We use react and zod, and npm is fine.', []],
    ['pip install $PACKAGE', []],
  ])('%s', (line, expected) => {
    expect(read(`# Title\n\n${line}\n`)).toEqual(expected);
  });

  it('are each listed once, and never without an end', () => {
    expect(read('npm i zod\nnpm install zod@4\n')).toEqual(['npm zod']);
    expect(read(Array.from({ length: 200 }, (_, n) => `npm i p${n}`).join('\n'))).toHaveLength(50);
    expect(read(`npm i ${'a '.repeat(5000)}`)).toEqual([]);
    expect(read('pip install '.repeat(80))).toHaveLength(2);
  });
});
