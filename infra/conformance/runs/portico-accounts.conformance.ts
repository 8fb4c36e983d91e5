// Accounts by libraries of other authors, under development and in a build, with and without JavaScript: better-auth with
// drizzle and SQLite, and NextAuth.js with an OpenID provider.

import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { root } from '../../checks/sources.ts'
import { hydrated, launchChromium, openPage } from '../../e2e/harness/chromium.ts'
import { type EmbeddedStack, startEmbedded } from '../../e2e/harness/embedded-stack.ts'
import { PORTICO } from '../../e2e/harness/framework.ts'
import { run } from '../../e2e/harness/processes.ts'
import { type IdentityProvider, startIdentityProvider } from '../apps/identity-provider.ts'
import { installSite, type SiteName } from '../own-sites/install-site.ts'

const PASSWORD = 'correct horse battery staple'
const FORMS = [
  { of: 'in a build', args: [] },
  { of: 'under development', args: ['--dev'] },
]
const BROWSERS = [
  { of: 'with JavaScript', javaScriptEnabled: true },
  { of: 'without JavaScript', javaScriptEnabled: false },
]

let browser: Browser

beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser?.close())

/** A stack of the site with the variables of its `site.env.example`, one of which is the address of the stack. */
async function start(name: SiteName, args: string[], env: (address: string) => Record<string, string>) {
  const appDir = await installSite(name)
  const port = await freePort()
  const values = env(`http://localhost:${port}`)
  const example = await readFile(join(appDir, 'site.env.example'), 'utf8')
  expect(Object.keys(values), 'what the documentation names').toEqual(example.match(/^\w+/gm))
  return startEmbedded({ appDir, args, env: { PORT: String(port), ...values } })
}

/** A client with a browser of its own: forms and links by their labels. */
async function visit({ javaScriptEnabled }: { javaScriptEnabled: boolean }, baseUrl: string) {
  const watched = await openPage(browser, { javaScriptEnabled })
  onTestFinished(watched.close)
  const { page, faults } = watched
  return {
    page,
    open: (path: string) => page.goto(baseUrl + path, { timeout: 60_000 }),
    isLive: async (selector = 'button') => {
      if (javaScriptEnabled) await hydrated(page, selector, 60_000)
    },
    fill: (label: string, value: string) => page.getByLabel(label, { exact: true }).fill(value),
    press: (name: string) => page.getByRole('button', { name, exact: true }).click(),
    follow: (name: string) => page.getByRole('link', { name, exact: true }).click(),
    sees: (text: string) => page.getByText(text).first().waitFor(),
    isOn: (path: string) => expect.poll(() => new URL(page.url()).pathname).toBe(path),
    /** Everything but the rejection of an invalid form, which the tests cause. */
    faults: () => faults.filter((fault) => !/^422 |status of 422/.test(fault)),
  }
}

describe.each(FORMS)('better-auth and drizzle $of', ({ args }) => {
  let stack: EmbeddedStack

  beforeAll(async () => {
    stack = await start('accounts', args, (address) => ({
      BETTER_AUTH_SECRET: randomBytes(32).toString('base64'),
      BETTER_AUTH_URL: address,
      GITHUB_CLIENT_ID: 'this-site',
      GITHUB_CLIENT_SECRET: 'secret',
    }))
  })
  afterAll(() => stack?.stop())

  test.each(BROWSERS)(
    'A2 N1 a member signs up, adds a note, signs out, and needs the password $of',
    async (browserOf) => {
      const { open, isLive, fill, press, sees, isOn, page, faults } = await visit(browserOf, stack.baseUrl)
      const email = `ida-${browserOf.javaScriptEnabled}@example.org`
      const enter = async (password: string) => {
        await fill('Address', email)
        await fill('Password', password)
        await press('Sign in')
      }

      await open('/notes')
      await isOn('/sign-in')
      await open('/sign-up')
      await isLive()
      await fill('Name', 'Ida')
      await fill('Address', email)
      // What was typed is kept where the library refuses it.
      for (const [password, outcome] of [
        ['short', 'Password too short'],
        [PASSWORD, 'Notes of Ida'],
      ] as const) {
        await fill('Password', password)
        await press('Sign up')
        await sees(outcome)
      }
      await isOn('/notes')
      await fill('Note', 'Buy oak')
      await press('Add')
      await sees('Buy oak')
      await press('Sign out')
      await sees('New here?')
      expect((await page.context().cookies()).filter(({ name }) => /session/.test(name))).toEqual([])
      await enter('wrong password')
      await sees('Invalid email or password')
      await open('/notes')
      await isOn('/sign-in')
      await isLive()
      await enter(PASSWORD)
      await sees('Buy oak')
      expect(faults()).toEqual([])
    },
  )

  test('F1 the client of the library begins a log-in with GitHub', async () => {
    const { open, isLive, press, page, faults } = await visit({ javaScriptEnabled: true }, stack.baseUrl)
    await page.route('https://github.com/**', (route) => route.fulfill({ body: 'GitHub' }))
    await open('/sign-in')
    await isLive()
    await press('Sign in with GitHub')
    await page.waitForURL('https://github.com/**').catch((cause: unknown) => {
      throw new Error(`GitHub is not reached: ${faults().join('; ')}`, { cause })
    })
    const { searchParams } = new URL(page.url())
    expect(searchParams.get('client_id')).toBe('this-site')
    expect(searchParams.get('redirect_uri')).toBe(`${stack.baseUrl}/api/auth/callback/github`)
  })
})

describe.each(FORMS)('NextAuth.js $of', ({ args }) => {
  let provider: IdentityProvider
  let stack: EmbeddedStack

  beforeAll(async () => {
    provider = await startIdentityProvider()
    stack = await start('auth-js', args, (address) => ({
      NEXTAUTH_SECRET: randomBytes(32).toString('base64'),
      NEXTAUTH_URL: address,
      OIDC_ISSUER: provider.origin,
      OIDC_CLIENT_ID: 'an-app',
      OIDC_CLIENT_SECRET: 'a-secret-of-the-app',
    }))
  })
  afterAll(async () => {
    await stack?.stop()
    await provider?.stop()
  })

  test.each(BROWSERS)('A2 N1 a member enters by the provider, and signs out $of', async (browserOf) => {
    const { open, isLive, fill, press, follow, sees, isOn, faults } = await visit(browserOf, stack.baseUrl)
    await open('/account')
    await isOn('/')
    await isLive('a')
    await follow('Sign in')
    if (!browserOf.javaScriptEnabled) await press('Sign in with the company')
    await fill('Name', 'Ida')
    await press('Log in')
    await sees('Account of Ida')
    await isLive()
    await press('Applaud')
    await sees('Applause by Ida')
    await follow('Sign out')
    if (!browserOf.javaScriptEnabled) await press('Sign out')
    await sees('Welcome')
    await open('/account')
    await isOn('/')
    expect(faults()).toEqual([])
  })
})

test.each(['accounts', 'auth-js'] as const)(
  'V1 F1 the site %s and the types of its libraries compile',
  async (name) => {
    const site = await installSite(name)
    const env = { ...process.env, APP_DIR: site }
    const types = await run(process.execPath, [PORTICO, 'types'], { cwd: root, env })
    expect(types.code, types.output).toBe(0)
    const { output } = await run(join(root, 'node_modules/.bin/tsc'), ['-p', site], { cwd: site })
    expect(output).toBe('')
  },
)
