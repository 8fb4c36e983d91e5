import { expect, test } from 'vitest'
import { isNeverSent } from './public-files.ts'

test.each([
  ...['.env', '.env.local', 'site.env', 'site.env.production', '.npmrc', '.envrc', '.netrc', '.ENV', 'Site.Env'],
  ...['tls/server.pem', 'tls/server.KEY', 'id_rsa', 'id_ed25519.pub', 'keys.p12', 'site.sqlite', 'site.sqlite-wal'],
  ...[
    '.git/config',
    '.data/action-key.secret',
    'lib/.hidden/code.ts',
    '.github/workflow.yml',
    '.portico/.env',
    '..lib/code.ts',
  ],
])('V3 %s of the app folder is never sent', (path) => expect(isNeverSent(`/srv/site/${path}`, '/srv/site')).toBe(true))

test.each(['/home/me/.ssh/known_hosts', '/home/me/.aws/credentials', '/srv/.env', '/srv/other/.git/HEAD'])(
  'V3 %s outside of the app folder is never sent',
  (path) => expect(isNeverSent(path, '/srv/site')).toBe(true),
)

test.each([
  '/srv/site/pages/index.tsx',
  '/srv/site/environment.ts',
  '/srv/site/keyboard.tsx',
  '/srv/site/.portico/vite/deps/react.js',
  '/srv/site/node_modules/.pnpm/a@1/node_modules/a/index.js',
  '/home/me/.local/lib/node_modules/portico/index.js',
])('V3 %s may be sent', (path) => expect(isNeverSent(path, '/srv/site')).toBe(false))
