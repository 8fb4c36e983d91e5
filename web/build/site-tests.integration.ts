// `portico/testing` in a site outside of the repository: the tests of the template that need no stack, and one test of
// each thing that the module promises. They run in the site, as `npm test` runs them.

import { spawn } from 'node:child_process'
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { testAtLength } from '@portico/shared/kit/testing/runs.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FRAMEWORK } from './framework-files.ts'
import { createFolder, removeFolders } from './testing/folders.ts'

const FILES: Readonly<Record<string, string>> = {
  'public/day rates.json': '{"eur":2}',
  // Without the plugin a package with another copy of React would break its hooks.
  'node_modules/react/package.json': '{ "name": "react", "version": "19.0.0" }',
  'node_modules/react/index.js': 'throw new Error("the wrong React")',
  'node_modules/counter/package.json': '{ "name": "counter", "version": "1.0.0", "main": "index.js" }',
  'node_modules/counter/index.js':
    "const { useState } = require('react')\nexports.useCount = () => useState(41)[0] + 1",
  'actions/account.ts': `'use server'
import { after, cookies, defineAction, forbidden, headers, redirect, revalidatePath, revalidateTag } from 'portico/server'

export async function logIn(form: { name: string }) {
  cookies().set('user', form.name)
  redirect('/account')
}
export async function logOut() {
  cookies().delete('user')
}
export async function whoAmI() {
  return { user: cookies().get('user'), language: headers().get('accept-language'), at: new Date(0) }
}
export async function rename(id: number, previous: unknown, input: { name: string }) {
  await revalidatePath('/account')
  after(() => revalidateTag('names'))
  return { id, previous, name: input.name }
}
export async function upload(form: { file: File; tag: string[] }) {
  return { name: form.file.name, text: await form.file.text(), tags: form.tag }
}
export async function remove() {
  forbidden()
}
export const fail = defineAction({ repeat: 'allow' }, async () => {
  throw new Error('the disk is full')
})
`,
  'lib/session.ts': `import { createSession } from 'portico/server'
const validate = (value: unknown) => ({ value: value as { member: string } })
export const session = createSession({ name: 'session', schema: { '~standard': { version: 1, vendor: 'x', validate } } })
`,
  'pages/mine.tsx': `import type { GetServerSideProps, PageProps } from 'portico'
import { unauthorized } from 'portico/server'
import { session } from '../lib/session.ts'
export const getServerSideProps = (async () => {
  const { data } = await session.read()
  return { props: { member: (data ?? unauthorized()).member } }
}) satisfies GetServerSideProps
export default function Mine({ member }: PageProps<typeof getServerSideProps>) {
  return <h1>{member}</h1>
}
`,
  'components/name.tsx': `import { useCount } from 'counter'
import { publicEnv } from 'portico'
export const Name = () => <b>{publicEnv('SITE_NAME') + ' ' + useCount()}</b>
`,
  'lib/clock.ts': 'export const today = () => new Date().toISOString()\n',
  'pages/account.tsx': `import { useCount } from 'counter'
import { type GetServerSideProps, notFound, type PageProps, publicEnv } from 'portico'
import { after, cookies, fetch, redirect, unauthorized } from 'portico/server'
import { rename } from '../actions/account.ts'
import { today } from '../lib/clock.ts'

export const getServerSideProps = (async ({ query }) => {
  const user = cookies().get('user') ?? unauthorized()
  if (query.to === 'old') redirect('/old-account', 308)
  if (query.to === 'nothing') notFound()
  if (query.to === 'error') throw new Error('no such query')
  if (query.to === 'late-error') after(() => Promise.reject(new Error('too late')))
  const { name } = (await (await fetch('/api/profile', { cookies: true })).json()) as { name: string }
  const { eur } = (await (await fetch('/day%20rates.json')).json()) as { eur: number }
  return { props: { user, name, eur, today: today() } }
}) satisfies GetServerSideProps

export default function Account({ user, name, eur, today }: PageProps<typeof getServerSideProps>) {
  return (
    <form action={rename.bind(null, 7, undefined)}>
      <h1>{user + ' ' + name + ' ' + eur + ' ' + today + ' ' + publicEnv('SITE_NAME') + ' ' + useCount()}</h1>
      <input name="name" />
    </form>
  )
}
`,
  'pages/slow/[id].tsx': `import type { GetStaticPaths, GetStaticProps } from 'portico'
import { Suspense, use } from 'react'
export const getStaticPaths = (() => ({ paths: [], fallback: true })) satisfies GetStaticPaths
export const getStaticProps = (({ params }) => ({ props: { id: params.id } })) satisfies GetStaticProps
const late = new Promise<string>((resolve) => setTimeout(() => resolve('arrived'), 5))
function Late() {
  return <p>{use(late)}</p>
}
export default function Slow({ id }: { id: string }) {
  return <Suspense fallback="waiting"><h1>{id}</h1><Late /></Suspense>
}
`,
  'pages/late.tsx': `import { Suspense, use } from 'react'
export const getServerSideProps = () => ({ props: { late: new Promise((resolve) => setTimeout(resolve, 5, 'there')) } })
const Shown = ({ of }: { of: Promise<string> }) => <h1>{use(of)}</h1>
export default function Late({ late }: { late: Promise<string> }) {
  return <Suspense fallback="waiting"><Shown of={late} /></Suspense>
}
`,
  'middleware.ts': `import { cookies, next, notFound, redirect } from 'portico/server'
import { session } from './lib/session.ts'
export const config = { matcher: '/members/:path*' }
export async function middleware(request: Request) {
  const { pathname } = new URL(request.url)
  if (pathname.endsWith('/closed')) return new Response('closed', { status: 423 })
  if (pathname.endsWith('/hidden')) notFound()
  if (pathname.endsWith('/broken')) throw new Error('no guard today')
  const { data } = await session.read()
  if (!data) redirect('/log-in')
  cookies().set('met', request.method)
  return next({ requestHeaders: { 'x-member': data.member }, headers: { 'x-guarded': 'yes' } })
}
`,
  'pages/api/profile.ts': `import type { ApiRequest, ApiResponse } from 'portico'
export default function handler(request: ApiRequest, response: ApiResponse) {
  if (request.query.to === 'error') throw new Error('no such profile')
  const { method, cookies, body, headers } = request
  response.setHeader('Set-Cookie', 'seen=1')
  response.status(method === 'POST' ? 201 : 200).json({ name: 'of ' + cookies.user, body, token: headers['x-token'] })
}
`,
  'tests/account.test.ts': `import { callAction, callMiddleware, renderPage, requestApi, startSession } from 'portico/testing'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import { Name } from '../components/name.tsx'
import { session } from '../lib/session.ts'
import { fail, logIn, logOut, remove, rename, upload, whoAmI } from '../actions/account.ts'

vi.mock('../lib/clock.ts', () => ({ today: () => 'today' }))
const ada = { cookies: { user: 'ada' } }

test('the cookies of one call are those of the next', async () => {
  const entered = await callAction(logIn, { name: 'ada' })
  expect(entered).toMatchObject({ kind: 'redirect', location: '/account', cookies: { user: 'ada' } })
  expect((await renderPage('/account', entered)).status).toBe(200)
  const left = await callAction(logOut, undefined, entered)
  expect(left).toMatchObject({ kind: 'value', cookies: {} })
  expect(await renderPage('/account', left)).toMatchObject({ status: 401, props: { statusCode: 401 } })
})
test('a session of the site, on http and on https', async () => {
  for (const origin of ['http://localhost', 'https://site.example']) {
    const cookies = await startSession(session, { member: 'ida' }, { origin })
    expect((await renderPage('/mine', { cookies, origin })).html).toContain('<h1>ida</h1>')
    const forged = Object.fromEntries(Object.entries(cookies).map(([name, value]) => [name, value + 'x']))
    expect((await renderPage('/mine', { cookies: forged, origin })).status).toBe(401)
  }
})
test('middleware guards its paths', async () => {
  expect(await callMiddleware('/account')).toMatchObject({ kind: 'unmatched' })
  expect(await callMiddleware('/members/ida?a=1')).toMatchObject({ kind: 'redirect', status: 307, location: '/log-in' })
  const cookies = await startSession(session, { member: 'ida' })
  const passed = await callMiddleware('/members/ida', { cookies, method: 'POST' })
  expect(passed).toMatchObject({ kind: 'next', requestHeaders: { 'x-member': 'ida' }, cookies: { met: 'POST' } })
  expect(passed.headers.get('x-guarded')).toBe('yes')
  expect(await callMiddleware('/members/closed')).toMatchObject({ kind: 'response', status: 423, body: 'closed' })
  expect(await callMiddleware('/members/hidden')).toMatchObject({ kind: 'refused', status: 404 })
  await expect(callMiddleware('/members/broken')).rejects.toThrow('no guard today')
})
test('an action has the cookies and headers of its call, and its value is JSON', async () => {
  const { value } = (await callAction(whoAmI, undefined, { ...ada, headers: { 'accept-language': 'de' } })) as { value: unknown }
  expect(value).toEqual({ user: 'ada', language: 'de', at: '1970-01-01T00:00:00.000Z' })
})
test('cookies are Secure on an https origin', async () => {
  const { setCookies } = await callAction(logIn, { name: 'x' }, { origin: 'https://site.example' })
  expect(setCookies[0]).toContain('; Secure')
})
test('bound arguments, the previous state and revalidations', async () => {
  const result = await callAction(rename, { name: 'x' }, { bound: [7], previous: null })
  expect(result).toMatchObject({
    value: { id: 7, previous: null, name: 'x' },
    revalidated: { paths: ['/account'], tags: ['names'] },
  })
})
test('a form with a file and a repeated field', async () => {
  const form = new FormData()
  form.append('file', new File(['contents'], 'a.txt'))
  for (const tag of ['a', 'b']) form.append('tag', tag)
  expect(await callAction(upload, form)).toMatchObject({ value: { name: 'a.txt', text: 'contents', tags: ['a', 'b'] } })
})
test('an action that refuses, and one that throws', async () => {
  expect(await callAction(remove)).toMatchObject({ kind: 'refused', status: 403 })
  await expect(callAction(fail, {})).rejects.toThrow('the disk is full')
  await expect(callAction(rename, JSON.parse('{"__proto__":1}'))).rejects.toThrow('400')
})
test('a page has its data, its modules and its form', async () => {
  const { html, props } = await renderPage('/account', ada)
  expect(html).toContain('<h1>ada of ada 2 today Fieldbook 42</h1>')
  expect(html).toContain('name="$ACTION_REF_')
  expect(html).toContain('<header class="bar">')
  expect(props).toMatchObject({ user: 'ada', eur: 2 })
})
test('a component has the values of the environment and the React of the framework', () => {
  expect(renderToString(createElement(Name))).toBe('<b>Fieldbook 42</b>')
})
test('a page is whole', async () => {
  const { html } = await renderPage('/slow/7')
  expect(html).toMatch(/<h1>7<\\/h1><p>arrived<\\/p>/)
  expect(html).not.toContain('waiting')
})
test('a page has its promises, whole or streamed', async () => {
  for (const agent of ['node', 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36']) {
    const { html, props } = await renderPage('/late', { headers: { 'user-agent': agent } })
    expect(html).toContain('<h1>there</h1>')
    expect(await props.late).toBe('there')
  }
})
test('a fake site comes before the handlers', async () => {
  const seen = vi.fn()
  const site = {
    '/day%20rates.json': Response.json({ eur: 9 }),
    '/api/profile': (request: Request) => {
      seen(request.headers.get('cookie'))
      return { name: 'fake' }
    },
  }
  for (let n = 0; n < 2; n++) expect((await renderPage('/account', { ...ada, site })).html).toContain('ada fake 9 today')
  expect(seen).toHaveBeenCalledWith('user=ada')
})
test('a page redirects, is missing, throws', async () => {
  expect(await renderPage('/account?to=old', ada)).toMatchObject({ status: 308, location: '/old-account', html: '' })
  expect((await renderPage('/account?to=nothing', ada)).status).toBe(404)
  expect((await renderPage('/nothing')).status).toBe(404)
  await expect(renderPage('/account?to=error', ada)).rejects.toThrow('no such query')
  await expect(renderPage('/account?to=late-error', ada)).rejects.toThrow('too late')
  await expect(renderPage('account')).rejects.toThrow('a path of the site begins with "/"')
})
test('an API handler has method, body, cookies and headers', async () => {
  const response = await requestApi('/api/profile', { ...ada, body: { a: [1] }, headers: { 'x-token': 't' } })
  expect([response.status, response.headers.getSetCookie()]).toEqual([201, ['seen=1']])
  expect(await response.json()).toEqual({ name: 'of ada', body: { a: [1] }, token: 't' })
  const crossSite = await requestApi('/api/profile', { method: 'DELETE', headers: { 'sec-fetch-site': 'cross-site' } })
  expect(crossSite.status).toBe(403)
  expect((await requestApi('/api/none')).status).toBe(404)
  await expect(requestApi('/api/profile?to=error')).rejects.toThrow('no such profile')
})
`,
}

interface Report {
  testResults: { assertionResults: { title: string; status: string; failureMessages: string[] }[]; message: string }[]
}

let dir: string
let report: Report
let output: string

beforeAll(async () => {
  dir = join(await createFolder(), 'site')
  await cp(join(FRAMEWORK, 'web/build/create/starter'), dir, {
    recursive: true,
    filter: (path) => !/[\\/](node_modules|dist|\.portico)$/.test(path),
  })
  // What npm installs.
  await mkdir(join(dir, 'node_modules'))
  for (const name of ['portico', 'vitest'])
    await symlink(join(FRAMEWORK, 'node_modules', name), join(dir, 'node_modules', name))
  for (const [name, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(dir, name)), { recursive: true })
    await writeFile(join(dir, name), text)
  }
  const options = ['--exclude=tests/site.test.ts', '--reporter=json', '--outputFile=report.json']
  // Beside other tests on a busy machine a call takes longer than the five seconds of an author.
  output = await run(dir, ['node_modules/vitest/vitest.mjs', 'run', '--testTimeout=60000', ...options])
  report = JSON.parse(await readFile(join(dir, 'report.json'), 'utf8')) as Report
})
afterAll(removeFolders)

/** Runs Node in the folder; resolves with the output. */
function run(dir: string, args: string[]): Promise<string> {
  return new Promise((resolve) => {
    const { NODE_ENV: _production, ...env } = process.env
    const child = spawn(process.execPath, args, { cwd: dir, env })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk))
    child.on('close', () => resolve(text))
  })
}

test('F1 the tests of the template and one of each promise of portico/testing pass in a new site', () => {
  const results = report.testResults.flatMap(({ assertionResults, message }) => [
    ...assertionResults.map(({ title, status, failureMessages }) => [title, status, ...failureMessages].join(': ')),
    ...(message ? [message] : []),
  ])
  expect(results.filter((result) => !result.endsWith(': passed'))).toEqual([])
  expect(results.length, output).toBe(18)
})

testAtLength('F1 the tests pass again: no module is restored from a run before', async () => {
  const again = await run(dir, [
    'node_modules/vitest/vitest.mjs',
    'run',
    'tests/account.test.ts',
    '-t',
    'its modules and its form',
  ])
  expect(again).toContain('1 passed')
})
